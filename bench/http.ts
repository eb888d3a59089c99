// A server under load, on both databases with default durability: `npm run bench -- http [sqlite|postgres] [--seconds N] [--json]`. A server
// process of its own answers; 32 connections submit workflows of ten actions that were never seen before, 32 read how runs stand, then both
// at once, as fast as they are answered. Goals: 300 submissions and 3,000 reads a second. At last both come at exactly these rates, each at
// its own time whether the one before was answered or not: 99 of 100 are to be answered within 100 ms of that time.
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import http from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startPrivatePostgres } from '../scripts/private-postgres.ts';

interface Measured {
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  /** Processor time of the server per request, which a busy machine changes little. */
  readonly cpuMs: number;
}

interface Result {
  readonly database: string;
  readonly submissions: Measured;
  readonly reads: Measured;
  readonly together: Both;
  readonly paced: Both;
}

interface Both {
  readonly submissions: Measured;
  readonly reads: Measured;
}

const goals = { submissions: 300, reads: 3_000, p99: 100 };

const connections = 32;
const asJson = process.argv.includes('--json');
const secondsAt = process.argv.indexOf('--seconds');
const seconds = secondsAt > 0 ? Number(process.argv[secondsAt + 1]) : 10;
const wanted = process.argv.slice(2).filter((word) => word === 'sqlite' || word === 'postgres');
const main = join(import.meta.dirname, '..', 'src', 'cli', 'main.ts');
const agent = new http.Agent({ keepAlive: true, maxSockets: 2 * connections });
let submitted = 0;

function workflowText(number: number): string {
  const actions = Array.from({ length: 10 }, (_, i) => ({
    id: `a${i}`,
    command: ['printf', '%s', `${number} ${i}`],
    stdout: 'out.txt',
    ...(i === 0 ? {} : { parentActions: [`a${i - 1}`] }),
  }));
  return JSON.stringify({ workflow: { name: 'bench', actions } });
}

function call(url: URL, method: string, path: string, body?: string): Promise<number> {
  const headers =
    body === undefined
      ? {}
      : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
  return new Promise((resolve, reject) => {
    const request = http.request(
      { host: url.hostname, port: url.port, method, path, agent, headers },
      (response) => {
        response.resume();
        response.on('end', () => resolve(response.statusCode ?? 0));
      },
    );
    request.on('error', reject);
    request.end(body);
  });
}

const submit = async (url: URL): Promise<void> => {
  submitted += 1;
  const status = await call(url, 'POST', '/api/v1/runs', workflowText(submitted));
  if (status !== 201) throw new Error(`a submission was answered with ${status}`);
};

const read = async (url: URL): Promise<void> => {
  const status = await call(
    url,
    'GET',
    `/api/v1/runs/${1 + Math.floor(Math.random() * Math.max(1, submitted - connections))}/state`,
  );
  if (status !== 200) throw new Error(`a read was answered with ${status}`);
};

async function serverCpuMs(url: URL): Promise<number> {
  const text = await (await fetch(new URL('/metrics', url))).text();
  return Number(/^process_cpu_seconds_total (\S+)$/m.exec(text)?.[1]) * 1000;
}

/** All clients together make so many requests a second, or as many as are answered. */
async function measure(
  url: URL,
  action: (url: URL) => Promise<void>,
  perSecond = Number.POSITIVE_INFINITY,
): Promise<Measured> {
  const times: number[] = [];
  const cpuBefore = await serverCpuMs(url);
  const start = performance.now();
  const end = start + seconds * 1000;
  const paced = Number.isFinite(perSecond);
  const everyMs = paced ? (connections * 1000) / perSecond : 0;
  const client = async (_: unknown, i: number): Promise<void> => {
    let due = start + (i / connections) * everyMs;
    while (due < end) {
      const early = due - performance.now();
      if (early > 0) await sleep(early);
      await action(url);
      times.push(performance.now() - due);
      due = paced ? due + everyMs : performance.now();
    }
  };
  await Promise.all(Array.from({ length: connections }, client));
  const cpuMs = Number((((await serverCpuMs(url)) - cpuBefore) / times.length).toFixed(2));
  times.sort((a, b) => a - b);
  const at = (share: number): number => Number((times[Math.floor(times.length * share)] ?? 0).toFixed(1));
  return { perSecond: Math.round(times.length / seconds), p50: at(0.5), p99: at(0.99), cpuMs };
}

async function start(home: string, storeUrl: string | undefined): Promise<{ child: ChildProcess; url: URL }> {
  const log = openSync(join(tmpdir(), `varve-bench-http-${process.pid}.log`), 'w');
  const words = ['serve', '--home', home, '--listen', '127.0.0.1:0', '--roles', 'api'];
  if (storeUrl !== undefined) words.push('--set', `store.url=${storeUrl}`);
  const child = spawn(process.execPath, [main, ...words], { stdio: ['ignore', log, 'pipe'] });
  closeSync(log);
  const url = await new Promise<URL>((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`the server ended with ${code}`)));
    child.stderr?.on('data', (data: Buffer) => {
      const [, found] = /listening at (\S+);/.exec(String(data)) ?? [];
      if (found !== undefined) resolve(new URL(found));
    });
  });
  return { child, url };
}

async function bench(database: string, storeUrl: string | undefined): Promise<Result> {
  const home = mkdtempSync(join(tmpdir(), 'varve-bench-http-'));
  submitted = 0;
  const { child, url } = await start(home, storeUrl);
  try {
    for (let i = 0; i < 50; i += 1) await submit(url);
    const submissions = await measure(url, submit);
    const reads = await measure(url, read);
    const both = async (rates?: typeof goals): Promise<Both> => {
      const [a, b] = await Promise.all([
        measure(url, submit, rates?.submissions),
        measure(url, read, rates?.reads),
      ]);
      return { submissions: a, reads: b };
    };
    return { database, submissions, reads, together: await both(), paced: await both(goals) };
  } finally {
    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    await gone;
    rmSync(home, { recursive: true, force: true });
  }
}

const results: Result[] = [];
if (wanted.length === 0 || wanted.includes('sqlite')) results.push(await bench('sqlite', undefined));
if (wanted.length === 0 || wanted.includes('postgres')) {
  const server = await startPrivatePostgres({ durable: true });
  if (server) {
    results.push(await bench('postgres', server.url));
    await server.stop();
  } else console.error('PostgreSQL is not installed: skipped');
}
if (asJson) console.log(JSON.stringify(results, null, 2));
else {
  const shown = ({ perSecond, p50, p99, cpuMs }: Measured): string =>
    `${perSecond}/s, p50 ${p50} ms, p99 ${p99} ms, ${cpuMs} ms of processor each`;
  for (const { database, submissions, reads, together, paced } of results) {
    console.log(`${database}: submissions ${shown(submissions)}`);
    console.log(`${database}: reads       ${shown(reads)}`);
    console.log(
      `${database}: both        submissions ${shown(together.submissions)}; reads ${shown(together.reads)}`,
    );
    const late = paced.submissions.p99 > goals.p99 || paced.reads.p99 > goals.p99;
    console.log(
      `${database}: at goals    submissions ${shown(paced.submissions)}; reads ${shown(paced.reads)}${late ? '  MISSED' : ''}`,
    );
  }
}
process.exit(0);

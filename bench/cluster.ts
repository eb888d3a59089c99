// Many processes and many workers: `npm run bench -- cluster [processes|workers] [--actions N] [--workers N] [--streams N] [--processes 1,2,4]`.
// processes: short actions completed by 1, 2 and 4 servers on one PostgreSQL; each ran once, or the benchmark fails.
// workers: workers that wait at one server while browsers follow its events, its memory and processor time, and how fast jobs reach them.
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { loadConfig } from '../src/config/load-config.ts';
import { openVarve, type Varve } from '../src/varve.ts';
import { testDatabase } from '../test/postgres.ts';
import { freePort, startServer, type VarveProcess } from '../test/server/processes.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    actions: { type: 'string', default: '20000' },
    workers: { type: 'string', default: '1000' },
    streams: { type: 'string', default: '500' },
    processes: { type: 'string', default: '1,2,4' },
  },
});
const wanted = (part: string): boolean => positionals.length === 0 || positionals.includes(part);
const endings: (() => Promise<void>)[] = [];
const scope = { after: (action: () => Promise<void>) => void endings.push(action) };
const folder = mkdtempSync(join(tmpdir(), 'varve-cluster-'));

async function database(): Promise<string> {
  const found = await testDatabase(scope);
  if ('skip' in found) throw new Error(found.skip);
  return found.url;
}

async function openHome(home: string, store: string): Promise<Varve> {
  const environment = { variables: {}, workingFolder: home, userFolder: home, platform: process.platform };
  const { config } = await loadConfig(environment, { home, set: [`store.url=${store}`] });
  return openVarve({ config });
}

async function submit(varve: Varve, count: number, command: (i: number) => string): Promise<number[]> {
  const runs: number[] = [];
  for (let from = 0; from < count; from += 2000) {
    const ids = Array.from({ length: Math.min(2000, count - from) }, (_, i) => from + i);
    const actions = ids.map((i) => ({ id: i, command: command(i) }));
    const text = JSON.stringify({ name: `part ${from}`, actions });
    const { runId } = await varve.submit(await varve.load({ text, path: join(folder, 'flow.json') }));
    runs.push(runId);
  }
  return runs;
}

async function complete(processes: number, count: number): Promise<void> {
  const home = join(folder, `home-${processes}`);
  mkdirSync(home);
  const store = await database();
  const varve = await openHome(home, store);
  const log = join(home, 'ran');
  const runs = await submit(varve, count, (i) => `echo "$PWD" >> '${log}'; echo ${i} > "$VARVE_OUTPUT/o"`);
  const servers: VarveProcess[] = [];
  for (let i = 0; i < processes; i += 1)
    servers.push(startServer({ home, store, leaseSeconds: 30 }, 'api,manager,worker', await freePort()));
  for (const run of runs) {
    const { state } = await varve.wait(run);
    if (state !== 'SUCCEEDED') throw new Error(`run ${run} ended as ${state}`);
  }
  await Promise.all(servers.map((server) => server.end('SIGTERM')));
  const ran = readFileSync(log, 'utf8').match(/\d+-\d+-[0-9a-f]{6}/g) ?? [];
  let first = Number.POSITIVE_INFINITY;
  let last = 0;
  const owners = new Set<string>();
  for (const run of runs) {
    const actions = await varve.store.view.actionsOfRun(run);
    for (const { startedAt, endedAt } of actions) {
      first = Math.min(first, startedAt ?? first);
      last = Math.max(last, endedAt ?? last);
    }
    const attempts = await varve.store.view.attempts(actions.map(({ id }) => id));
    if (attempts.length !== actions.length) throw new Error(`${attempts.length} attempts in run ${run}`);
    for (const { worker } of attempts) owners.add(worker);
  }
  if (ran.length !== count || new Set(ran).size !== count)
    throw new Error(`${count} actions, ${ran.length} executions, ${new Set(ran).size} of them different`);
  await varve.close();
  const seconds = (last - first) / 1000;
  console.log(
    `${processes} processes: ${count} actions in ${seconds.toFixed(1)} s, ${(count / seconds).toFixed(0)}/s, each once, by ${owners.size} of them`,
  );
}

const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });

// biome-ignore lint/suspicious/noExplicitAny: answers of several forms
function post(port: number, path: string, body: object, session = ''): Promise<any> {
  return new Promise((resolve, reject) => {
    const text = JSON.stringify(body);
    const headers = {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(text),
      'varve-worker-session': session,
    };
    const sent = request(
      { agent, port, host: '127.0.0.1', method: 'POST', path: `/api/v1${path}`, headers },
      (answer) => {
        let received = '';
        answer.setEncoding('utf8').on('data', (piece) => {
          received += piece;
        });
        answer.on('end', () => {
          if (answer.statusCode && answer.statusCode < 300) resolve(JSON.parse(received));
          else reject(new Error(`${answer.statusCode} ${received}`));
        });
      },
    );
    sent.on('error', reject).end(text);
  });
}

const self = {
  host: 'bench',
  pid: 1,
  version: '0',
  tags: [],
  cores: 1,
  memoryBytes: 1e9,
  sharedStorage: true,
};

/** A worker that ends every job as soon as it has it. */
async function playWorker(port: number, name: string, stop: AbortSignal): Promise<void> {
  const { worker, session } = await post(port, '/workers', { ...self, name });
  const free = { freeCores: 1, freeMemoryBytes: 1e9, most: 1, waitMs: 60_000, cancelling: [], have: [] };
  while (!stop.aborted) {
    const { jobs } = await post(port, `/workers/${worker}/poll`, { state: 'ACTIVE', ...free }, session);
    for (const { key } of jobs) {
      const now = Date.now();
      const outcome = { kind: 'exited', exitCode: 0, startedAt: now, endedAt: now };
      await post(port, `/workers/${worker}/jobs/${key}/end`, { outcome }, session);
    }
  }
}

/** Somebody who keeps the page open; counts the bytes that arrive. */
function followEvents(port: number, stop: AbortSignal, received: { bytes: number; open: number }): void {
  const sent = request({ agent, port, host: '127.0.0.1', path: '/api/v1/events', signal: stop }, (answer) => {
    if (answer.statusCode === 200) received.open += 1;
    answer.on('data', (piece: Buffer) => {
      received.bytes += piece.length;
    });
    answer.on('error', () => {});
  });
  sent.on('error', () => {}).end();
}

function megabytes(pid: number | undefined): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
}

function cpuSeconds(pid: number | undefined): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

async function manyWorkers(count: number, streams: number): Promise<void> {
  const home = join(folder, 'home-workers');
  mkdirSync(home);
  const store = await database();
  const port = await freePort();
  const set = ['server.rateLimit=0'];
  const server = startServer({ home, store, leaseSeconds: 30, set }, 'api,manager', port);
  endings.push(() => server.end('SIGKILL'));
  await server.says(/listening/);
  const { pid } = server.child;
  const before = megabytes(pid);
  const stop = new AbortController();
  const failures: unknown[] = [];
  for (let i = 0; i < count; i += 1) {
    void playWorker(port, `w${i}`, stop.signal).catch((error) => stop.signal.aborted || failures.push(error));
    if (i % 50 === 49) await sleep(20);
  }
  const received = { bytes: 0, open: 0 };
  for (let i = 0; i < streams; i += 1) followEvents(port, stop.signal, received);
  await sleep(15_000);
  const cpu = cpuSeconds(pid);
  await sleep(15_000);
  const idle = ((cpuSeconds(pid) - cpu) / 15) * 100;
  const varve = await openHome(home, store);
  const live = (await varve.store.view.workers({ live: true })).filter((row) => row.session !== null).length;
  console.log(
    `${live} of ${count} workers wait at one process and ${received.open} of ${streams} streams follow its events: ${megabytes(pid).toFixed(0)} MB (${before.toFixed(0)} MB before them, goal 500), ${idle.toFixed(1)} % of one core`,
  );
  const jobs = 4000;
  const runs = await submit(varve, jobs, (i) => `: ${i}`);
  const began = Date.now();
  for (const run of runs) await varve.wait(run);
  const seconds = (Date.now() - began) / 1000;
  const states = await Promise.all(runs.map((run) => varve.store.view.runs([run])));
  if (states.flat().some(({ state }) => state !== 'SUCCEEDED')) throw new Error('a run did not succeed');
  console.log(
    `${jobs} jobs over HTTP to them: ${(jobs / seconds).toFixed(0)}/s, ${(received.bytes / 1e6).toFixed(0)} MB of events sent, ${megabytes(pid).toFixed(0)} MB afterwards`,
  );
  stop.abort();
  if (failures.length > 0) throw failures[0];
  await varve.close();
  await server.end('SIGTERM');
}

try {
  if (wanted('processes')) {
    for (const processes of values.processes.split(','))
      await complete(Number(processes), Number(values.actions));
  }
  if (wanted('workers')) await manyWorkers(Number(values.workers), Number(values.streams));
} finally {
  for (const end of endings.reverse()) await end();
  rmSync(folder, { recursive: true, force: true });
}
process.exit(0);

// The engine against GNU make and xargs on the same machine in the same run, and its growth: `npm run bench -- engine [part …]`.
// Parts: make, reuse, plan, chain, fan, idle. Programs take turns and medians count; ratios are what is claimed.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const root = join(import.meta.dirname, '..');
const work = mkdtempSync(join(tmpdir(), 'varve-bench-'));
const parts = process.argv.slice(2).filter((word) => !word.startsWith('-'));
const large = process.argv.includes('--large');
const wanted = (part: string): boolean => parts.length === 0 || parts.includes(part);

execFileSync(process.execPath, [join(root, 'scripts', 'build.ts')], { stdio: 'ignore' });
for (const part of ['bin', 'dist', 'package.json'])
  cpSync(join(root, part), join(work, part), { recursive: true });
symlinkSync(join(root, 'node_modules'), join(work, 'node_modules'));
const program = join(work, 'bin', 'varve.mjs');

type Shape = 'fan' | 'chain' | 'layers';

/** A document of `count` small actions. */
function document(shape: Shape, count: number): string {
  const width = 100;
  const actions = Array.from({ length: count }, (_, i) => {
    const parents =
      shape === 'chain' && i > 0
        ? [i]
        : shape === 'layers' && i >= width
          ? [i - width + 1, i - width - (i % width) + ((i + 1) % width) + 1]
          : [];
    return {
      id: i + 1,
      name: `action ${i + 1}`,
      type: 'command-line',
      command: `echo ${i} > "$VARVE_OUTPUT/f"`,
      ...(parents.length > 0 ? { parentActions: parents } : {}),
    };
  });
  const path = join(work, `${shape}-${count}.json`);
  writeFileSync(path, JSON.stringify({ name: `${shape} ${count}`, actions }));
  return path;
}

interface Timing {
  readonly seconds: number;
  readonly peakMb: number;
}

function varve(home: string, ...words: string[]): number {
  const started = performance.now();
  const { status, stderr } = spawnSync(process.execPath, [program, ...words], {
    env: { PATH: process.env.PATH, HOME: work, VARVE_HOME: home },
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  if (status !== 0) throw new Error(`varve ${words.join(' ')}: ${stderr}`);
  return (performance.now() - started) / 1000;
}

function measuredVarve(home: string, ...words: string[]): Timing {
  const started = performance.now();
  const { status, stderr } = spawnSync(
    '/usr/bin/time',
    ['-f', 'peak %M', process.execPath, program, ...words],
    {
      env: { PATH: process.env.PATH, HOME: work, VARVE_HOME: home },
      encoding: 'utf8',
      maxBuffer: 1 << 28,
    },
  );
  if (status !== 0) throw new Error(`varve ${words.join(' ')}: ${stderr}`);
  const peak = Number(/peak (\d+)/.exec(stderr)?.[1] ?? 0) / 1024;
  return { seconds: (performance.now() - started) / 1000, peakMb: peak };
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] as number;
}

let homes = 0;
const freshHome = (): string => join(work, `home-${homes++}`);
const seconds = (value: number): string => `${value.toFixed(3)} s`;
const line = (what: string, ...facts: string[]): void =>
  console.log(`${what.padEnd(44)} ${facts.join('   ')}`);

function makeRun(count: number): number {
  const folder = mkdtempSync(join(work, 'make-'));
  const targets = Array.from({ length: count }, (_, i) => `o/${i}`);
  const rules = targets.map((target, i) => `${target}:\n\t@sh -c 'echo ${i} > ${target}'\n`);
  writeFileSync(join(folder, 'Makefile'), `all: ${targets.join(' ')}\n${rules.join('')}`);
  mkdirSync(join(folder, 'o'));
  const started = performance.now();
  execFileSync('make', ['-s', '-j2', 'all'], { cwd: folder });
  return (performance.now() - started) / 1000;
}

function againstMake(): void {
  const path = document('fan', 2000);
  const warm = freshHome();
  varve(warm, 'run', document('fan', 10), '--quiet');
  const cache = join(warm, 'cache');
  const times = { make: [] as number[], varve: [] as number[] };
  for (let round = 0; round < 5; round += 1) {
    times.make.push(makeRun(2000));
    const home = freshHome();
    mkdirSync(home, { recursive: true });
    cpSync(cache, join(home, 'cache'), { recursive: true });
    times.varve.push(varve(home, 'run', path, '--quiet'));
  }
  const [make, ours] = [median(times.make), median(times.varve)];
  line('2,000 independent actions, make -j2', seconds(make));
  line(
    '2,000 independent actions, varve',
    seconds(ours),
    `${(ours / make).toFixed(2)} × make (goal 2, aim 1.3)`,
  );
}

function reuse(): void {
  for (const shape of ['fan', 'layers'] as const) {
    const path = document(shape, 2000);
    const home = freshHome();
    varve(home, 'run', path, '--quiet');
    const times = Array.from({ length: 9 }, () => varve(home, 'run', path, '--quiet'));
    line(`2,000 actions (${shape}) again, all reused`, seconds(median(times)), 'goal 0.25 s');
  }
}

function plan(): void {
  for (const count of [1_000, 10_000, 100_000, ...(large ? [1_000_000] : [])]) {
    const path = document('layers', count);
    const runs = Array.from({ length: count > 100_000 ? 1 : 3 }, () =>
      measuredVarve(freshHome(), 'run', path, '--detach'),
    );
    const time = median(runs.map((run) => run.seconds));
    const peak = median(runs.map((run) => run.peakMb));
    line(
      `planning ${count.toLocaleString('en')} actions, start-up included`,
      seconds(time),
      `${((time / count) * 1e6).toFixed(1)} µs each`,
      `peak ${peak.toFixed(0)} MB`,
    );
  }
}

function growth(shape: 'chain' | 'fan'): void {
  for (const count of [100, 1_000, 10_000]) {
    const { seconds: time, peakMb } = measuredVarve(freshHome(), 'run', document(shape, count), '--quiet');
    line(
      `${shape} of ${count.toLocaleString('en')}`,
      seconds(time),
      `${((time / count) * 1e3).toFixed(2)} ms each`,
      `peak ${peakMb.toFixed(0)} MB`,
    );
  }
}

async function idle(): Promise<void> {
  const child = spawn(process.execPath, [program, 'work', '--quiet'], {
    env: { PATH: process.env.PATH, HOME: work, VARVE_HOME: freshHome() },
    stdio: 'ignore',
  });
  const cpu = (): number => {
    const stat = readFileSync(`/proc/${child.pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) / 100;
  };
  await sleep(5000);
  const before = cpu();
  await sleep(30_000);
  const used = cpu() - before;
  const rss = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]) / 1024;
  child.kill('SIGINT');
  line(
    'idle `varve work`',
    `${((used / 30) * 100).toFixed(2)} % of one core`,
    `${rss.toFixed(0)} MB (goal 100)`,
  );
}

try {
  if (wanted('make')) againstMake();
  if (wanted('reuse')) reuse();
  if (wanted('plan')) plan();
  if (wanted('chain')) growth('chain');
  if (wanted('fan')) growth('fan');
  if (wanted('idle')) await idle();
} finally {
  rmSync(work, { recursive: true, force: true });
}

// How fast short commands start: the same 2,000 `sh -c 'echo x > file'` through the local back-end, which keeps logs and a
// journal for each, and through `xargs -P`, which keeps nothing. Alternating, medians, printed as a ratio.
//   npm run bench -- spawn [--jobs 2000] [--rounds 5] [--launcher c|sh] [--queue-ahead N] [--busy-ms N] [--ballast-mb N]
// `--busy-ms` blocks the event loop that long after each 20 ends, as committing does; `--ballast-mb` makes the process large.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createLocalBackend } from '../src/backends/local/local-backend.ts';
import type { BackendJob } from '../src/core/ports/backend.ts';

const { values } = parseArgs({
  options: {
    jobs: { type: 'string', default: '2000' },
    rounds: { type: 'string', default: '5' },
    launcher: { type: 'string', default: 'c' },
    'queue-ahead': { type: 'string' },
    'busy-ms': { type: 'string', default: '0' },
    'ballast-mb': { type: 'string', default: '0' },
  },
});
const count = Number(values.jobs);
const rounds = Number(values.rounds);
const busyMs = Number(values['busy-ms']);
const cores = availableParallelism();
const ballast = Buffer.alloc(Number(values['ballast-mb']) * 2 ** 20, 1);
const root = mkdtempSync(join(tmpdir(), 'varve-bench-spawn-'));

interface Round {
  readonly wallMs: number;
  readonly mainCpuMs: number;
}

/** Jobs with directories of their own, made beforehand as the storage does. */
function makeJobs(directory: string): BackendJob[] {
  mkdirSync(join(directory, 'out'), { recursive: true });
  return Array.from({ length: count }, (_, index) => {
    const own = join(directory, `job-${index}`);
    mkdirSync(own);
    return {
      key: `job-${index}`,
      directory: own,
      argv: ['sh', '-c', `echo x > out/${index}`],
      env: { PATH: '/usr/bin:/bin' },
      cwd: directory,
      stdout: join(own, 'stdout'),
      stderr: join(own, 'stderr'),
      resources: { cores: 1 },
      priority: 0,
    };
  });
}

async function throughBackend(directory: string): Promise<Round> {
  const jobs = makeJobs(directory);
  const { promise, resolve } = Promise.withResolvers<void>();
  let next = 0;
  let ended = 0;
  const backend = createLocalBackend({
    cacheDirectory: join(root, 'cache'),
    launcher: values.launcher as 'c' | 'sh',
    queueAhead: values['queue-ahead'] === undefined ? undefined : Number(values['queue-ahead']),
    events: {
      started() {},
      ended(_key, outcome) {
        if (outcome.kind !== 'exited' || outcome.exitCode !== 0) throw new Error(JSON.stringify(outcome));
        ended += 1;
        if (ended === count) resolve();
        if (ended % 20 === 0) block(busyMs);
        feed();
      },
    },
  });
  const window = backend.capacity().queueAhead + cores;
  const feed = (): void => {
    while (next < count && next - ended < window) void backend.submit(jobs[next++]!);
  };
  const cpu = process.cpuUsage();
  const start = performance.now();
  feed();
  await promise;
  const wallMs = performance.now() - start;
  const { user, system } = process.cpuUsage(cpu);
  await backend.close();
  return { wallMs, mainCpuMs: (user + system) / 1000 };
}

function throughXargs(directory: string): Round {
  mkdirSync(join(directory, 'out'), { recursive: true });
  const start = performance.now();
  const script = `seq 0 ${count - 1} | xargs -P${cores} -I{} sh -c 'echo x > out/{}'`;
  spawnSync('sh', ['-c', script], { cwd: directory });
  return { wallMs: performance.now() - start, mainCpuMs: 0 };
}

function block(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)]!;
}

const backendRounds: Round[] = [];
const xargsRounds: Round[] = [];
for (let round = 0; round <= rounds; round += 1) {
  const directory = join(root, `round-${round}`);
  const ours = await throughBackend(join(directory, 'backend'));
  const theirs = throughXargs(join(directory, 'xargs'));
  for (const side of ['backend', 'xargs']) {
    const files = readdirSync(join(directory, side, 'out')).length;
    if (files !== count) throw new Error(`${side} made ${files} files instead of ${count}`);
  }
  // Nothing is deleted in between: ext4 is slow to make new files just after many were deleted.
  // The first round compiles the launcher and warms the caches.
  if (round > 0) {
    backendRounds.push(ours);
    xargsRounds.push(theirs);
  }
}
rmSync(root, { recursive: true });

const ours = median(backendRounds.map((round) => round.wallMs));
const theirs = median(xargsRounds.map((round) => round.wallMs));
const mainCpu = median(backendRounds.map((round) => round.mainCpuMs));
const show = (name: string, ms: number, all: readonly Round[]): void => {
  const walls = all.map((round) => round.wallMs.toFixed(0)).join(' ');
  console.log(`${name.padEnd(22)} ${(ms / count).toFixed(3)} ms/job   (${walls} ms for ${count})`);
};
show(`local back-end (${values.launcher})`, ours, backendRounds);
show(`xargs -P${cores}`, theirs, xargsRounds);
const ratios = backendRounds.map((round, index) => round.wallMs / xargsRounds[index]!.wallMs);
const spread = `${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)}`;
console.log(`ratio, median of pairs ${median(ratios).toFixed(2)}   (${spread})`);
console.log(`CPU of this process    ${((mainCpu * 1000) / count).toFixed(0)} µs/job`);
console.log(
  `size of this process   ${(process.memoryUsage.rss() / 2 ** 20).toFixed(0)} MB, ballast ${ballast.length / 2 ** 20} MB`,
);

// Where the time of Varve goes in each workload: `npm run bench -- profile [--count 2000] [--plan 20000] [--only chain]`. Node's own profiler
// samples the main thread; shown is how long starting took, and of what follows the shares of each kind. It runs the sources, whose files tell
// the parts of Varve apart: starting takes longer than in the package.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { varve } from './engines/varve.ts';
import { kinds, type TimeSpent, timeSpent } from './harness/cpu-profile.ts';
import type { Prepared, Shape } from './harness/engine.ts';
import { leavesOf, makeGraph } from './harness/graphs.ts';
import { timed } from './harness/measure.ts';
import { say } from './harness/terminal.ts';

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '2000' },
    plan: { type: 'string', default: '20000' },
    only: { type: 'string', default: '' },
  },
});
const folder = mkdtempSync(join(tmpdir(), 'varve-bench-profile-'));
let runs = 0;

/** What the main thread did; threads that end with the process leave no profile. */
function profiled({ argv, cwd, env }: Prepared, ...words: string[]): TimeSpent {
  const into = join(folder, `profile-${runs++}`);
  const [program, , ...rest] = argv;
  const main = join(import.meta.dirname, '..', 'src', 'cli', 'main.ts');
  const node = ['--cpu-prof', '--cpu-prof-dir', into];
  // Sources that were stripped of their types once are not stripped again.
  const cached = { ...env, NODE_COMPILE_CACHE: join(folder, 'compiled') };
  timed({ argv: [program!, ...node, main, ...rest, ...words], cwd, env: cached });
  // CPU.<date>.<time>.<process>.<thread>.<number>.cpuprofile
  const name = readdirSync(into).find((file) => file.split('.')[4] === '0')!;
  return timeSpent(JSON.parse(readFileSync(join(into, name), 'utf8')));
}

const prepared = (shape: Shape, count: number): Prepared =>
  varve.prepare(makeGraph(shape, count), mkdtempSync(join(folder, 'graph-')));

/** The same home after one run, in the states that follow it. */
function states(shape: Shape, count: number): Readonly<Record<string, () => TimeSpent>> {
  const graph = makeGraph(shape, count);
  let home: Prepared | undefined;
  const known = (): Prepared => {
    if (!home) {
      home = varve.prepare(graph, mkdtempSync(join(folder, 'graph-')));
      timed(home);
    }
    return home;
  };
  const changed = (id: number, edition: number): Prepared => {
    known().change!(id, edition);
    return known();
  };
  return {
    [`${shape}, nothing changed`]: () => profiled(known()),
    [`${shape}, one leaf changed`]: () => profiled(changed(leavesOf(graph)[0]!, 1)),
    [`${shape}, one root changed`]: () => profiled(changed(1, 2)),
    [`${shape}, intermediates deleted`]() {
      known().dropIntermediates!(new Set(leavesOf(graph)));
      return profiled(changed(count, 3));
    },
  };
}

/** 1 GB through 20 steps, as the part `data` does it. */
function data(): TimeSpent {
  const own = mkdtempSync(join(folder, 'data-'));
  const base = varve.prepare(makeGraph('chain', 1), own);
  const actions = Array.from({ length: 20 }, (_, i) => ({
    id: i + 1,
    command:
      i === 0
        ? `head -c 50000000 /dev/zero | tr '\\0' x > "$VARVE_OUTPUT/f"`
        : `cat "$VARVE_INPUT_${i}/f" > "$VARVE_OUTPUT/f"`,
    ...(i > 0 ? { parentActions: [i] } : {}),
  }));
  writeFileSync(join(own, 'workflow.json'), JSON.stringify({ name: 'data', actions }));
  return profiled(base);
}

const count = Number(values.count);
const plan = Number(values.plan);
const workloads: Readonly<Record<string, () => TimeSpent>> = {
  ...Object.fromEntries(
    (['fan', 'chain', 'layers', 'diamond'] as const).map((shape) => [
      `${shape}, cold`,
      () => profiled(prepared(shape, count)),
    ]),
  ),
  ...states('layers', count),
  ...states('chain', count),
  [`plan of ${plan.toLocaleString('en')} in layers`]: () => profiled(prepared('layers', plan), '--detach'),
  '1 GB through 20 steps': data,
};

mkdirSync(folder, { recursive: true });
try {
  const shown = kinds.filter((kind) => kind !== 'starting');
  console.log(`${count.toLocaleString('en')} actions each; shares of the time after starting in per cent\n`);
  const head = ['seconds', 'starting', ...shown].map((word) => word.padStart(10)).join('');
  console.log(`${''.padEnd(32)}${head}`);
  const most: string[] = [];
  for (const [name, run] of Object.entries(workloads)) {
    if (!name.includes(values.only)) continue;
    say(`profile: ${name}`);
    const { seconds, byKind, functions } = run();
    say('');
    const after = seconds - byKind.starting;
    const share = (spent: number): string => ((100 * spent) / after).toFixed(0);
    const cells = [
      seconds.toFixed(2),
      `${byKind.starting.toFixed(2)} s`,
      ...shown.map((kind) => share(byKind[kind])),
    ];
    console.log(`${name.padEnd(32)}${cells.map((cell) => cell.padStart(10)).join('')}`);
    const top = functions
      .slice(0, 6)
      .map(([called, spent]) => `${called || 'unnamed'} ${((100 * spent) / seconds).toFixed(1)}`);
    most.push(`${name.padEnd(32)}${top.join(', ')}`);
  }
  console.log(`\nfunctions with the most time of their own, in per cent\n\n${most.join('\n')}`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

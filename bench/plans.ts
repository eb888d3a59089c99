// Planning a large graph without running it: `npm run bench -- plans [--sizes 200,2000,20000,100000] [--rounds 3]`. Varve plans, signs and
// writes all rows in one transaction (`run --detach`); make and Snakemake say what they would do (`-n`).
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { make } from './engines/make.ts';
import { snakemake } from './engines/snakemake.ts';
import { varve } from './engines/varve.ts';
import type { Engine } from './harness/engine.ts';
import { makeGraph } from './harness/graphs.ts';
import { median, type Timing, timed } from './harness/measure.ts';
import { type Point, recordPoints } from './harness/results.ts';
import { printPoints, say } from './harness/terminal.ts';

const { values } = parseArgs({
  options: {
    sizes: { type: 'string', default: '200,2000,20000,100000' },
    rounds: { type: 'string', default: '3' },
  },
});

interface Planner {
  readonly engine: Engine;
  readonly most: number;
  readonly words: (argv: readonly string[]) => readonly string[];
}

const planners: readonly Planner[] = [
  { engine: varve, most: 1_000_000, words: (argv) => [...argv, '--detach'] },
  { engine: make, most: 1_000_000, words: (argv) => [...argv, '-n'] },
  { engine: snakemake, most: 2000, words: (argv) => [...argv, '-n'] },
];
const installed = planners.filter(({ engine }) => engine.version() !== undefined);

for (const size of values.sizes.split(',').map(Number)) {
  const graph = makeGraph('layers', size);
  const timings = new Map<Planner, Timing[]>(installed.map((planner) => [planner, []]));
  for (let round = 0; round < Number(values.rounds); round += 1) {
    const order = round % 2 === 0 ? installed : installed.toReversed();
    for (const planner of order) {
      if (size > planner.most) continue;
      say(`plans ${size}: ${planner.engine.name}, round ${round + 1}`);
      const folder = mkdtempSync(join(tmpdir(), 'varve-bench-plan-'));
      const prepared = planner.engine.prepare(graph, folder);
      timings.get(planner)!.push(timed({ ...prepared, argv: planner.words(prepared.argv) }));
      rmSync(folder, { recursive: true, force: true });
    }
  }
  say('');
  const points = installed.map((planner): Point => {
    const list = timings.get(planner)!;
    return {
      workload: 'plan of layers',
      scenario: 'cold',
      size,
      engine: planner.engine.name,
      seconds: list.map(({ seconds }) => Number(seconds.toFixed(4))),
      peakMegabytes: list.length > 0 ? Math.round(median(list.map((t) => t.peakMegabytes))) : 0,
      ...(list.length > 0 ? {} : { missing: 'would take too long' }),
    };
  });
  const engines = installed.map(({ engine }) => engine);
  recordPoints(
    { part: 'plans', title: 'Planning large graphs', command: 'npm run bench -- plans' },
    engines,
    points,
  );
  printPoints(points);
}

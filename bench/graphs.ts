// Small actions in four shapes by all engines that are installed: `npm run bench -- graphs [--shapes fan,chain,layers,diamond]
// [--sizes 20,200,2000,20000] [--states cold,reused,leaf,root,last] [--engines Varve,make] [--rounds 5] [--minutes N] [--new]`.
// What was measured is kept after every state. `--minutes` ends the measurement early, `--new` leaves out what was measured already, so that
// both together measure piece by piece. `--longest` is how many seconds one run may be expected to take, `--point` how many
// seconds of runs are enough for one engine in one state.
import { parseArgs } from 'node:util';
import { engines } from './engines/index.ts';
import { compareEngines, tooLong, unsaid } from './harness/compare.ts';
import { type Effort, effortLeft, expectedSeconds } from './harness/effort.ts';
import type { Scenario, Shape } from './harness/engine.ts';
import { makeGraph } from './harness/graphs.ts';
import { hasPoints, type Point, readResults, recordPoints } from './harness/results.ts';
import { printPoints } from './harness/terminal.ts';

const { values } = parseArgs({
  options: {
    shapes: { type: 'string', default: 'fan,chain,layers,diamond' },
    sizes: { type: 'string', default: '20,200,2000,20000' },
    states: { type: 'string', default: 'cold,reused,leaf,root,last' },
    engines: { type: 'string' },
    rounds: { type: 'string', default: '5' },
    minutes: { type: 'string', default: 'Infinity' },
    longest: { type: 'string', default: '120' },
    point: { type: 'string', default: '20' },
    new: { type: 'boolean', default: false },
  },
});
const names = values.engines?.split(',');
const asked = engines.filter(({ name }) => names?.includes(name) ?? true);
const about = {
  part: 'graphs',
  title: 'Small actions in four shapes',
  command: 'npm run bench -- graphs',
};
const known = (): readonly Point[] =>
  readResults()
    .filter(hasPoints)
    .find(({ part }) => part === about.part)?.points ?? [];

const effort: Effort = {
  rounds: Number(values.rounds),
  pointSeconds: Number(values.point),
  deadlineMs: performance.now() + Number(values.minutes) * 60_000,
  reasonAgainst(engine, shape, scenario, size) {
    if (engine.version() === undefined) return 'not installed';
    const most = engine.most(shape, scenario);
    if (most === 0) return unsaid;
    // A state of before needs a cold run as well, to make it.
    const expected = [scenario, 'cold' as const].map(
      (state) => expectedSeconds(known(), engine.name, shape, state, size) ?? 0,
    );
    return most < size || Math.max(...expected) > Number(values.longest) ? tooLong : undefined;
  },
};

for (const size of values.sizes.split(',').map(Number)) {
  for (const shape of values.shapes.split(',') as Shape[]) {
    const measured = new Set(
      known().flatMap((point) =>
        point.size === size && point.workload === shape ? [`${point.scenario} ${point.engine}`] : [],
      ),
    );
    const states = (values.states.split(',') as Scenario[]).filter(
      (state) => !values.new || asked.some(({ name }) => !measured.has(`${state} ${name}`)),
    );
    for (const points of compareEngines(makeGraph(shape, size), states, asked, effort)) {
      recordPoints(about, asked, points);
      printPoints(points);
    }
  }
}
if (!effortLeft(effort)) console.log('\nthe time is up; `--new` measures what is missing');

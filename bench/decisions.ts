// Measures one decision over many datasets: time and memory of the default algorithm (or those named as arguments) with 100,000
// stored of 400,000 known datasets, and with 250,000 of 1,000,000, on sparse and dense graphs.
//   npm run bench -- decisions [algorithm…]
// Times are CPU seconds of the deciding thread, which are wall seconds where nothing else runs, with wall seconds in brackets.
import { fork } from 'node:child_process';
import { DecisionHistory } from '../src/core/eviction/decision-history.ts';
import { DecisionSession } from '../src/core/eviction/decision-session.ts';
import { validateChoice } from '../src/core/eviction/validate-choice.ts';
import { datasetMarks } from '../src/core/ports/decision-algorithm.ts';
import { shippedAlgorithms } from '../src/decisions/shipped.ts';
import { Random } from '../src/lab/random.ts';

interface Setting {
  readonly known: number;
  readonly stored: number;
  /** Parents of a dataset: half of them in its own run, half anywhere before. */
  readonly parents: number;
  readonly graph: string;
}

const graphs = [
  { graph: 'sparse', parents: 1.5 },
  { graph: 'dense', parents: 8 },
];
const sizes = [
  { known: 100_000, stored: 25_000 },
  { known: 400_000, stored: 100_000 },
  { known: 1_000_000, stored: 250_000 },
];
const settings: readonly Setting[] = graphs.flatMap((graph) => sizes.map((size) => ({ ...graph, ...size })));
const datasetsPerRun = 20;
const freedShares = [0.02, 0.2, 0.8];

function build({ known, stored, parents: mean }: Setting): DecisionHistory {
  const random = new Random(1, 'bench');
  const past = new DecisionHistory();
  const { table } = past;
  for (let run = 0; table.count < known; run += 1) {
    const first = table.count;
    for (let i = 0; i < datasetsPerRun; i += 1) {
      const parents = new Set<number>();
      const wanted = Math.floor(random.uniform() * 2 * mean + 0.5);
      for (let k = 0; k < wanted; k += 1) {
        const near = k % 2 === 0 && i > 0;
        if (near) parents.add(first + random.below(i));
        else if (first > 0) parents.add(random.below(first));
      }
      table.add({
        identity: random.bits(),
        sizeBytes: Math.ceil(random.logNormal(2e8, 1)),
        computeSeconds: random.logNormal(200, 1),
        parents: [...parents],
      });
    }
    const fresh = Int32Array.from({ length: datasetsPerRun }, (_, i) => first + i);
    past.recordRun({ at: run * 1000, members: fresh, results: fresh.slice(-1), computed: fresh });
  }
  const share = stored / known;
  const gone = [...Array(known).keys()].filter(
    (d) =>
      (table.marks[d]! & datasetMarks.leaf) === 0 &&
      !random.chance(share * (datasetsPerRun / (datasetsPerRun - 1))),
  );
  past.recordGivenUp(past.log.count * 1000, gone);
  return past;
}

/** Started now; says CPU and wall seconds since then. */
function stopwatch(): () => string {
  const cpu = process.threadCpuUsage();
  const wall = performance.now();
  return () => {
    const { user, system } = process.threadCpuUsage(cpu);
    return `${((user + system) / 1e6).toFixed(2)} s (${((performance.now() - wall) / 1000).toFixed(2)})`;
  };
}

function measure(name: string, setting: Setting): void {
  const algorithm = shippedAlgorithms[name]!;
  const past = build(setting);
  global.gc?.();
  const before = process.memoryUsage();
  const session = new DecisionSession(algorithm);
  const folded = stopwatch();
  session.catchUp(past.log, past.table);
  const fold = folded();
  let stored = 0;
  for (let d = 0; d < past.table.count; d += 1) {
    if ((past.table.marks[d]! & (datasetMarks.stored | datasetMarks.leaf)) === datasetMarks.stored) {
      stored += past.table.sizeBytes[d]!;
    }
  }
  const times = freedShares.map((share) => {
    const facts = past.facts(past.log.runs * 1000, Math.floor(stored * share));
    const decided = stopwatch();
    const choice = session.decide(facts);
    const took = decided();
    const { problems } = validateChoice(facts, choice);
    if (problems[0]) throw new Error(problems[0].message);
    return took;
  });
  const after = process.memoryUsage();
  const megabytes = (usage: NodeJS.MemoryUsage) => (usage.heapUsed + usage.arrayBuffers) / 1e6;
  console.log(
    [
      name.padEnd(19),
      setting.graph.padEnd(7),
      `${setting.stored} of ${setting.known}`.padEnd(18),
      fold.padEnd(15),
      ...times.map((time) => time.padEnd(15)),
      `${Math.round(megabytes(before))} + ${Math.round(megabytes(after) - megabytes(before))} MB`.padEnd(14),
      `${Math.round(process.resourceUsage().maxRSS / 1000)} MB`,
    ].join(' '),
  );
}

if (process.send) {
  process.once('message', ({ name, setting }: { name: string; setting: Setting }) => {
    measure(name, setting);
    process.disconnect?.();
  });
} else {
  const names = process.argv.slice(2);
  console.log(
    'algorithm           graph   stored of known    history         free 2 %        free 20 %       free 80 %       facts + work   peak RSS',
  );
  // A process of its own for each setting, so that memory figures stand alone.
  for (const name of names.length > 0 ? names : ['hamr']) {
    for (const setting of settings) {
      const child = fork(import.meta.filename, { execArgv: ['--expose-gc'] });
      child.send({ name, setting });
      await new Promise((resolve) => child.once('exit', resolve));
    }
  }
}

// A large made-up past for benchmarks of decisions: runs of twenty datasets, sparse or dense, most of them deleted since.
import { DecisionHistory } from '../../src/core/eviction/decision-history.ts';
import { datasetMarks } from '../../src/core/ports/decision-algorithm.ts';
import { Random } from '../../src/lab/random.ts';

export interface Setting {
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
export const settings: readonly Setting[] = graphs.flatMap((graph) =>
  sizes.map((size) => ({ ...graph, ...size })),
);
export const datasetsPerRun = 20;
export const freedShares = [0.02, 0.2, 0.8];

export function makePast({ known, stored, parents: mean }: Setting): DecisionHistory {
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
export function stopwatch(): () => string {
  const cpu = process.threadCpuUsage();
  const wall = performance.now();
  return () => {
    const { user, system } = process.threadCpuUsage(cpu);
    return `${((user + system) / 1e6).toFixed(2)} s (${((performance.now() - wall) / 1000).toFixed(2)})`;
  };
}

// Situations in which an algorithm is checked: small histories cut off somewhere, with random deletions behind them and
// random claims, pins and flags on what is stored. Each can be built under another numbering of the same datasets.
import { isAvailable } from '../core/eviction/dataset-table.ts';
import { DecisionHistory } from '../core/eviction/decision-history.ts';
import { type DecisionFacts, datasetMarks } from '../core/ports/decision-algorithm.ts';
import { type History, parentsOf } from './history.ts';
import { generateHistory } from './history-source.ts';
import { Random } from './random.ts';
import { toCompute } from './replay.ts';
import { knownAfter, planReplay, type ReplayPlan } from './replay-plan.ts';

export interface CheckCase {
  readonly name: string;
  readonly past: DecisionHistory;
  readonly facts: DecisionFacts;
  /** Original number of each dataset, whatever the numbering of this case. */
  readonly original: Int32Array;
}

const shapes = [
  { family: 'thesis', parameters: { actions: 120 } },
  { family: 'thesis-sparse', parameters: { actions: 120 } },
  { family: 'zipf', parameters: { actions: 120 } },
  { family: 'sweep', parameters: { runs: 30 } },
  { family: 'diamond', parameters: { runs: 30 } },
];

/** Case number `index`; `shuffled` numbers its datasets differently without changing anything else. */
export function checkCase(index: number, shuffled = false): CheckCase {
  const shape = shapes[index % shapes.length]!;
  const plan = planReplay(generateHistory({ ...shape, seed: index }));
  const { history } = plan;
  const random = new Random(index, 'check');
  const order = shuffled
    ? shuffledOrder(history, new Random(index, 'order'))
    : history.identity.map((_, d) => d);
  const number = new Int32Array(order.length);
  order.forEach((d, i) => {
    number[d] = i;
  });
  const past = new DecisionHistory();
  const last = 2 + random.below(history.runs.length - 2);
  for (let j = 0; j <= last; j += 1) playRun(plan, past, j, order, number, random);
  markSome(past, number, knownAfter(history, last), random);
  const facts = past.facts((last + 1) * 1000, wantedBytes(past, random));
  return { name: `${shape.family} #${index}`, past, facts, original: Int32Array.from(order) };
}

/** Another order of each run's new datasets, parents still first. */
function shuffledOrder(history: History, random: Random): Uint32Array {
  const order: number[] = [];
  history.runs.forEach((run, j) => {
    const waiting = new Set<number>();
    for (let d = run.firstNew; d < knownAfter(history, j); d += 1) waiting.add(d);
    while (waiting.size > 0) {
      const ready = [...waiting].filter((d) => !parentsOf(history, d).some((parent) => waiting.has(parent)));
      const next = ready[random.below(ready.length)]!;
      waiting.delete(next);
      order.push(next);
    }
  });
  return Uint32Array.from(order);
}

/** Times are whole seconds and sizes differ, so that equal sums stay equal and ties are rare in any order. */
function playRun(
  plan: ReplayPlan,
  past: DecisionHistory,
  j: number,
  order: Uint32Array,
  number: Int32Array,
  random: Random,
): void {
  const { history } = plan;
  const run = history.runs[j]!;
  const to = (list: ArrayLike<number>) => Int32Array.from(list, (d) => number[d]!).sort();
  for (let i = run.firstNew; i < knownAfter(history, j); i += 1) {
    const d = order[i]!;
    past.table.add({
      identity: history.identity[d]!,
      sizeBytes: history.sizeBytes[d]!,
      computeSeconds: Math.ceil(history.computeSeconds[d]!),
      parents: Int32Array.from(parentsOf(history, d), (parent) => number[parent]!),
    });
  }
  const marks = new Uint8Array(number.length);
  for (let d = 0; d < past.table.count; d += 1) marks[order[d]!] = past.table.marks[d]!;
  const computed = to(toCompute(plan, marks, run.results));
  past.recordRun({ at: j * 1000, members: to(run.members), results: to(run.results), computed });
  const gone: number[] = [];
  for (let d = 0; d < knownAfter(history, j); d += 1) {
    const state = past.table.marks[number[d]!]!;
    const lot = random.chance(0.15);
    if (lot && isAvailable(state) && (state & datasetMarks.leaf) === 0) gone.push(number[d]!);
  }
  if (gone.length > 0) past.recordGivenUp(j * 1000, Int32Array.from(gone).sort());
}

function markSome(past: DecisionHistory, number: Int32Array, known: number, random: Random): void {
  for (let d = 0; d < known; d += 1) {
    const lot = random.uniform();
    const at = number[d]!;
    if ((past.table.marks[at]! & datasetMarks.stored) === 0) continue;
    if (lot < 0.1) past.table.mark(at, datasetMarks.claimed);
    else if (lot < 0.15) past.table.mark(at, datasetMarks.pinned);
    else if (lot < 0.2) past.table.mark(at, datasetMarks.nondeterministic);
    else if (lot < 0.23) past.table.mark(at, datasetMarks.planned);
  }
}

/** Sometimes nothing, sometimes more than there is, mostly a part. */
function wantedBytes(past: DecisionHistory, random: Random): number {
  const { table } = past;
  let stored = 0;
  for (let d = 0; d < table.count; d += 1) {
    if (table.marks[d]! & datasetMarks.stored) stored += table.sizeBytes[d]!;
  }
  const lot = random.uniform();
  if (lot < 0.1) return 0;
  return Math.round(lot < 0.2 ? stored * 2 : stored * random.uniform() * 0.8);
}

// Replays a history against one algorithm and one budget, with the code that production uses: the same facts, the same
// session, the same validation. After each run whatever exceeds the budget has to go.
import { isAvailable } from '../core/eviction/dataset-table.ts';
import { DecisionHistory, defaultWindow } from '../core/eviction/decision-history.ts';
import { DecisionSession } from '../core/eviction/decision-session.ts';
import { validateChoice } from '../core/eviction/validate-choice.ts';
import type { JsonObject } from '../core/json.ts';
import type { Choice, DecisionAlgorithm } from '../core/ports/decision-algorithm.ts';
import { labErrors } from './error-codes.ts';
import { parentsOf } from './history.ts';
import { knownAfter, type ReplayPlan } from './replay-plan.ts';

export interface ReplayOptions {
  readonly budgetBytes: number;
  /** Once over budget, free down to this share of it. */
  readonly lowMark?: number | undefined;
  readonly window?: number | undefined;
  readonly settings?: JsonObject | undefined;
  /** Called after each run's decision with the marks of all datasets. */
  readonly onRun?: ((run: number, marks: Uint8Array, known: number) => void) | undefined;
}

export interface ReplayResult {
  readonly totalSeconds: number;
  /** What was computed although it had been computed before. */
  readonly recomputeSeconds: number;
  /** Share of demanded bytes that were there. */
  readonly byteHitRate: number;
  /** Share of demanded datasets' own compute time that was there. */
  readonly costHitRate: number;
  readonly decisions: number;
  readonly givenUp: number;
  readonly decisionSeconds: number;
  readonly slowestDecisionSeconds: number;
}

export function replay(plan: ReplayPlan, algorithm: DecisionAlgorithm, options: ReplayOptions): ReplayResult {
  const { history } = plan;
  const past = new DecisionHistory();
  const session = new DecisionSession(algorithm, options.settings);
  const clock = { decisions: 0, total: 0, slowest: 0, givenUp: 0 };
  const hits = { bytes: 0, ofBytes: 0, seconds: 0, ofSeconds: 0 };
  let totalSeconds = 0;
  let recomputeSeconds = 0;
  let heldBytes = 0;
  history.runs.forEach((run, j) => {
    const { table } = past;
    const end = knownAfter(history, j);
    for (let d = run.firstNew; d < end; d += 1) {
      table.add({
        identity: history.identity[d]!,
        sizeBytes: history.sizeBytes[d]!,
        computeSeconds: history.computeSeconds[d]!,
        parents: parentsOf(history, d),
      });
    }
    for (const d of plan.demands[j]!) {
      const there = isAvailable(table.marks[d]!);
      hits.ofBytes += history.sizeBytes[d]!;
      hits.ofSeconds += history.computeSeconds[d]!;
      if (there) hits.bytes += history.sizeBytes[d]!;
      if (there) hits.seconds += history.computeSeconds[d]!;
    }
    const computed = toCompute(plan, table.marks, run.results);
    for (const d of toCompute(plan, table.marks, plan.demands[j]!))
      recomputeSeconds += history.computeSeconds[d]!;
    for (const d of computed) {
      totalSeconds += history.computeSeconds[d]!;
      heldBytes += history.sizeBytes[d]!;
    }
    for (const d of run.results) if (plan.leafAfter[d] === j) heldBytes -= history.sizeBytes[d]!;
    past.recordRun({ at: run.at, members: run.members, results: run.results, computed });
    if (heldBytes > options.budgetBytes) {
      const wanted = heldBytes - options.budgetBytes * (options.lowMark ?? 1);
      const facts = past.facts(run.at, wanted, options.window ?? defaultWindow);
      const started = performance.now();
      session.catchUp(past.log, table);
      const choice = session.decide(facts);
      const seconds = (performance.now() - started) / 1000;
      clock.decisions += 1;
      clock.total += seconds;
      clock.slowest = Math.max(clock.slowest, seconds);
      const { problems, freedBytes } = validateChoice(facts, choice as Choice);
      if (problems[0]) throw labErrors.LAB_INVALID_CHOICE(algorithm.name, j, problems[0].message);
      past.recordGivenUp(run.at, choice.giveUp);
      clock.givenUp += choice.giveUp.length;
      heldBytes -= freedBytes;
    }
    options.onRun?.(j, table.marks, table.count);
  });
  checkIdentity(plan, totalSeconds, recomputeSeconds);
  return {
    totalSeconds,
    recomputeSeconds,
    byteHitRate: ratio(hits.bytes, hits.ofBytes),
    costHitRate: ratio(hits.seconds, hits.ofSeconds),
    decisions: clock.decisions,
    givenUp: clock.givenUp,
    decisionSeconds: clock.total,
    slowestDecisionSeconds: clock.slowest,
  };
}

/** What has to be computed so that all of `wanted` are there: found backwards through what is not available. */
export function toCompute(plan: ReplayPlan, marks: Uint8Array, wanted: ArrayLike<number>): number[] {
  const { parentStart, parents } = plan.history;
  const found: number[] = [];
  const seen = new Set<number>();
  const want = (d: number) => {
    if (seen.has(d) || isAvailable(marks[d]!)) return;
    seen.add(d);
    found.push(d);
  };
  for (let i = 0; i < wanted.length; i += 1) want(wanted[i]!);
  for (let next = 0; next < found.length; next += 1) {
    const d = found[next]!;
    for (let i = parentStart[d]!; i < parentStart[d + 1]!; i += 1) want(parents[i]!);
  }
  return found;
}

/** Everything computed is either a first time or a recomputation; if not, the simulator itself is wrong. */
function checkIdentity(plan: ReplayPlan, total: number, recompute: number): void {
  const expected = plan.unlimitedSeconds + recompute;
  if (Math.abs(total - expected) > 1e-9 * Math.max(1, expected)) {
    throw labErrors.LAB_COST_IDENTITY(total, expected);
  }
}

function ratio(part: number, whole: number): number {
  return whole === 0 ? 1 : part / whole;
}

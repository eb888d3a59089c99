// Which datasets a choice may name, and the common end of every algorithm: take in order until enough is free, then give
// back what turned out to be more than needed, the most valuable first.
import { type DecisionFacts, datasetMarks, type KnownDatasets } from '../ports/decision-algorithm.ts';
import { isCandidate } from './dataset-table.ts';

/** Datasets that may be given up and whose deletion frees anything, ascending. */
export function candidatesOf(known: KnownDatasets): Int32Array {
  const found = new Int32Array(known.count);
  let count = 0;
  for (let d = 0; d < known.count; d += 1) {
    if (isCandidate(known.marks[d]!) && known.sizeBytes[d]! > 0) found[count++] = d;
  }
  return found.subarray(0, count);
}

/** True when the dataset goes only if nothing else suffices: its bytes could not be made again (I10). */
export function goesLast(known: KnownDatasets, d: number): boolean {
  return (known.marks[d]! & datasetMarks.nondeterministic) !== 0;
}

/** Candidates in ascending order of key; non-deterministic ones last; ties by identity, then by number. */
export function rankCandidates(known: KnownDatasets, keyOf: (d: number) => number): Int32Array {
  const candidates = candidatesOf(known);
  const keys = new Float64Array(known.count);
  for (const d of candidates) keys[d] = keyOf(d);
  const { identity } = known;
  return candidates.sort(
    (a, b) =>
      Number(goesLast(known, a)) - Number(goesLast(known, b)) ||
      keys[a]! - keys[b]! ||
      identity[a]! - identity[b]! ||
      a - b,
  );
}

/** The shortest prefix of the order that frees enough, without members that the slack allows to keep. */
export function takeUntilFree(facts: DecisionFacts, order: ArrayLike<number>): number[] {
  const size = facts.known.sizeBytes;
  const taken: number[] = [];
  let freed = 0;
  for (let i = 0; i < order.length && freed < facts.bytesToFree; i += 1) {
    taken.push(order[i]!);
    freed += size[order[i]!]!;
  }
  return giveBack(facts, taken, freed);
}

/** Drops from the end of `taken` whatever is more than needed; afterwards every member is needed. */
export function giveBack(facts: DecisionFacts, taken: readonly number[], freed: number): number[] {
  const size = facts.known.sizeBytes;
  const kept: number[] = [];
  let slack = freed - facts.bytesToFree;
  for (let i = taken.length - 1; i >= 0; i -= 1) {
    const d = taken[i]!;
    if (size[d]! <= slack) slack -= size[d]!;
    else kept.push(d);
  }
  return kept.reverse();
}

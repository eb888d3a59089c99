// Checks a choice before anything is deleted, whoever made it: a plug-in's answer is material, not an order.
import type { Choice, DecisionFacts } from '../ports/decision-algorithm.ts';
import { datasetMarks } from '../ports/decision-algorithm.ts';
import { candidatesOf } from './candidates.ts';

export type ChoiceFault =
  | 'malformed'
  | 'unknown'
  | 'twice'
  | 'not-stored'
  | 'claimed'
  | 'leaf'
  | 'pinned'
  | 'being-computed'
  | 'too-little'
  | 'too-much';

export interface ChoiceProblem {
  readonly fault: ChoiceFault;
  readonly dataset?: number;
  readonly message: string;
}

export interface CheckedChoice {
  readonly problems: readonly ChoiceProblem[];
  readonly freedBytes: number;
  /** What could not be freed although every candidate was named. */
  readonly shortfallBytes: number;
}

const forbidden: readonly [ChoiceFault, number, string][] = [
  ['claimed', datasetMarks.claimed, 'is claimed'],
  ['leaf', datasetMarks.leaf, 'is a result'],
  ['pinned', datasetMarks.pinned, 'is pinned'],
  ['being-computed', datasetMarks.planned, 'is being computed'],
];

/** Finds everything that is wrong with a choice: it must free enough if that is possible at all, and no more than needed. */
export function validateChoice(facts: DecisionFacts, choice: Choice): CheckedChoice {
  const problems: ChoiceProblem[] = [];
  const { known, bytesToFree } = facts;
  const giveUp: unknown = choice?.giveUp;
  if (!isNumberList(giveUp)) {
    const message = 'the answer has no list of dataset numbers under "giveUp"';
    return { problems: [{ fault: 'malformed', message }], freedBytes: 0, shortfallBytes: bytesToFree };
  }
  const named = new Set<number>();
  let freedBytes = 0;
  let smallest = Number.POSITIVE_INFINITY;
  let smallestIs = -1;
  for (let i = 0; i < giveUp.length; i += 1) {
    const d = giveUp[i]!;
    const wrong = faultOf(facts, named, d);
    if (wrong) {
      problems.push({ ...wrong, dataset: d });
      continue;
    }
    named.add(d);
    const size = known.sizeBytes[d]!;
    freedBytes += size;
    if (size < smallest) {
      smallest = size;
      smallestIs = d;
    }
  }
  if (named.size > 0 && freedBytes - smallest >= bytesToFree) {
    const message = `dataset ${smallestIs} need not go: ${freedBytes - smallest} bytes without it, ${bytesToFree} wanted`;
    problems.push({ fault: 'too-much', dataset: smallestIs, message });
  }
  const shortfallBytes = Math.max(0, bytesToFree - freedBytes);
  if (shortfallBytes > 0) {
    const left = candidatesOf(known).find((d) => !named.has(d));
    if (left !== undefined) {
      const message = `${freedBytes} of ${bytesToFree} bytes are freed although dataset ${left} could go too`;
      problems.push({ fault: 'too-little', message });
    }
  }
  return { problems, freedBytes, shortfallBytes };
}

function faultOf(facts: DecisionFacts, named: ReadonlySet<number>, d: number): ChoiceProblem | undefined {
  const { known } = facts;
  if (!Number.isInteger(d) || d < 0 || d >= known.count) {
    return { fault: 'unknown', message: `there is no dataset ${d}` };
  }
  if (named.has(d)) return { fault: 'twice', message: `dataset ${d} is named twice` };
  for (const [fault, bit, words] of forbidden) {
    if ((known.marks[d]! & bit) !== 0) return { fault, message: `dataset ${d} ${words}` };
  }
  if ((known.marks[d]! & datasetMarks.stored) === 0) {
    return { fault: 'not-stored', message: `dataset ${d} is not stored` };
  }
  return undefined;
}

function isNumberList(value: unknown): value is ArrayLike<number> {
  if (ArrayBuffer.isView(value)) return 'length' in value;
  return Array.isArray(value) && value.every((member) => typeof member === 'number');
}

// Who makes decisions in production: an algorithm under guard. Whatever the configured one does, a valid choice comes out.
import type { VarveError } from '../errors.ts';
import type { HistoryLog } from '../eviction/history-log.ts';
import type { CheckedChoice } from '../eviction/validate-choice.ts';
import type { Choice, DecisionFacts } from './decision-algorithm.ts';

export interface DecidedChoice {
  readonly choice: Choice;
  readonly checked: CheckedChoice;
  /** Name of the algorithm that made the choice. */
  readonly by: string;
  /** Phrase that completes "was given up because it …". */
  readonly reason: string;
  /** Why the configured algorithm did not decide, if it did not. */
  readonly refused: VarveError | undefined;
}

export interface Decider {
  /** A choice that passed validation; `log` is the one behind `facts.history` and only ever grows. */
  decide(facts: DecisionFacts, log: HistoryLog): Promise<DecidedChoice>;
  /** What the algorithm has learnt from the log of the last decision, to be given to `recall` of a later decider; valid at once only. */
  learnt?(): Promise<Uint8Array | undefined>;
  /** Before the first decision: the algorithm once learnt this from the beginning of the same log. */
  recall?(learnt: Uint8Array): void;
  close(): Promise<void>;
}

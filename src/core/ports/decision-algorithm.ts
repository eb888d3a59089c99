// The port of decision algorithms: facts in, an ordered list of datasets to give up out. An algorithm is pure: what it
// remembers between decisions is a state folded over history events, so that production and the laboratory run the same
// code and a state can be rebuilt or moved to another thread at any time. Datasets are dense numbers in order of first
// appearance, parents before children; facts are columns indexed by them, good for a million datasets.
import type { JsonObject } from '../json.ts';

/** Bits of `KnownDatasets.marks`. */
export const datasetMarks = {
  /** Its files are there and count against the budget. */
  stored: 1,
  /** Somebody's claim forbids deletion (I2). */
  claimed: 2,
  /** A run's result: there, never given up, outside the budget. */
  leaf: 4,
  /** Kept by a user's wish. */
  pinned: 8,
  /** A recomputation once gave other bytes (I10): giving it up may lose it for ever. */
  nondeterministic: 16,
  /** Being computed now: readable soon, not yet deletable. */
  planned: 32,
} as const;

/** Everything ever seen and still remembered, as columns; only the first `count` entries of each column are valid. */
export interface KnownDatasets {
  readonly count: number;
  /** A number that belongs to the dataset whatever its index (such as the start of its signature); breaks ties. */
  readonly identity: Uint32Array;
  readonly sizeBytes: Float64Array;
  /** Mean seconds of computing it from its parents. */
  readonly computeSeconds: Float64Array;
  readonly marks: Uint8Array;
  /** Parents of `d` are `parents[parentStart[d]] … parents[parentStart[d + 1] - 1]`; each is smaller than `d`. */
  readonly parentStart: Uint32Array;
  readonly parents: Int32Array;
  /** How often it was demanded after it was first computed. */
  readonly uses: Uint32Array;
  /** Number of the run in which it first appeared. */
  readonly firstRun: Int32Array;
  /** Number of the run that last demanded it, or in which it first appeared. */
  readonly lastDemandRun: Int32Array;
  /** Time at which it was last demanded or computed, in milliseconds. */
  readonly lastAccessAt: Float64Array;
}

/** One run of the history. Demand does not depend on what was stored: it is what an unlimited store would have read. */
export interface RunEvent {
  readonly kind: 'run';
  /** Runs are numbered from 0 in the order of submission. */
  readonly number: number;
  readonly at: number;
  /** All datasets of the run's workflow, parents before children. */
  readonly members: Int32Array;
  readonly results: Int32Array;
  /** Members seen before that are results or feed a never-seen or forced member. */
  readonly demanded: Int32Array;
  /** Members that were really computed. */
  readonly computed: Int32Array;
}

/** Datasets whose files were deleted, by decision or otherwise. */
export interface GivenUpEvent {
  readonly kind: 'given-up';
  readonly at: number;
  readonly datasets: Int32Array;
}

export type HistoryEvent = RunEvent | GivenUpEvent;

/** The remembered history, oldest event first. */
export interface EventLog {
  readonly count: number;
  event(index: number): HistoryEvent;
}

export interface DecisionFacts {
  readonly now: number;
  /** What the choice has to free at least. */
  readonly bytesToFree: number;
  readonly known: KnownDatasets;
  readonly history: EventLog;
  /** Datasets of the last N submitted actions, oldest first (the thesis' rolling window). */
  readonly window: Int32Array;
}

/** An answer. Columns beside `giveUp` are optional, of the same length, and only explain. */
export interface Choice {
  /** Datasets to give up, the least valuable first. */
  readonly giveUp: ArrayLike<number>;
  /** The number by which each was ranked; smaller goes earlier. */
  readonly score?: ArrayLike<number>;
  /** Expected demands per run. */
  readonly reuseRate?: ArrayLike<number>;
}

export interface DecisionAlgorithm<State = unknown> {
  /** Lower-case name, as in the configuration. */
  readonly name: string;
  /** What goes first, as a phrase that completes "was given up because it …". */
  readonly reason: string;
  /** The state before any event: plain data that can be structurally cloned. */
  init?(settings: JsonObject): State;
  /**
   * The state after an event. May change and return the object it was given. `known` shows marks as the events so far
   * imply them: computed means stored, given up means not.
   */
  observe?(state: State, event: HistoryEvent, known: KnownDatasets): State;
  /** What to give up. Changes neither facts nor state. */
  decide(facts: DecisionFacts, state: State): Choice;
}

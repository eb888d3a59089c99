// What the store remembers beyond the rows that are alive: the history of runs and deletions from which decisions are made, costs
// per action name, users' rules, and the lease under which one process at a time decides. Lists are paged by cursor.
import type { KeepRule } from '../eviction/keep-rules.ts';
import type { ActionState } from '../machines/action.ts';
import type { DatasetState } from '../machines/dataset.ts';
import type { ActionRow, DatasetRow, RunRow } from '../rows.ts';

/** A run that ended, or datasets whose files were deleted, in the order in which they were recorded. Sets of ids are `encodeIds` texts. */
export interface HistoryEventRow {
  readonly seq: number;
  readonly kind: 'run' | 'given-up';
  /** When the run ended or the datasets were given up. */
  readonly at: number;
  readonly runId: number | null;
  readonly workflow: string;
  readonly userName: string;
  readonly realm: string;
  readonly submittedAt: number;
  /** Datasets of the run's workflow, reused, computed or not needed; or those given up. */
  readonly datasets: string;
  readonly results: string;
  readonly computed: string;
  /** Computed although they were stored. */
  readonly forced: string;
  /** What the run demanded, once that is settled: it can no longer be told when what it fed is forgotten. */
  readonly demanded: string | null;
  readonly computedCount: number;
  readonly reusedCount: number;
  readonly computedMs: number;
  /** Compute time of what the run did not have to compute. */
  readonly savedMs: number;
  /** Compute time of what the run computed only because it had been deleted. */
  readonly paidMs: number;
  /** When the actions behind it were dropped. */
  readonly compactedAt: number | null;
}

export type SettledDemand = { readonly seq: number; readonly demanded: string };

export type NewHistoryEvent = Omit<HistoryEventRow, 'seq' | 'demanded' | 'compactedAt'>;

export type EndedRun = Pick<RunRow, 'id' | 'name' | 'userName' | 'realm' | 'submittedAt' | 'endedAt'>;

/** One action of a run with the dataset that stands for it. */
export interface RunMember extends Pick<ActionRow, 'id' | 'name' | 'expands' | 'result' | 'reason'> {
  readonly state: ActionState;
  readonly datasetId: number | null;
  readonly sizeBytes: number | null;
  readonly computeMs: number | null;
  readonly managed: number | null;
}

/** What decisions need to know about a dataset, whatever became of its files. */
export interface DatasetSketch extends Pick<DatasetRow, 'id' | 'signature' | 'realm' | 'name' | 'state'> {
  readonly sizeBytes: number | null;
  readonly computeMs: number | null;
  /** The oldest row with this signature: all of them are one dataset to an algorithm. */
  readonly canonical: number;
}

/** What decisions look at each time of every dataset that is there or is being made: columns in the order of row ids. */
export interface PresenceColumns {
  readonly ids: Float64Array;
  readonly versions: Float64Array;
  /** `datasetMarks`: stored, leaf, planned (with leaf: a result to be), nondeterministic; pinned when its action says `keep: always`. */
  readonly marks: Uint8Array;
}

/** Who holds or waits for datasets; a dataset may occur several times. */
export interface ClaimColumns {
  readonly datasetIds: Float64Array;
  /** 1 where it is a pin. */
  readonly pins: Uint8Array;
}

/** A dataset that is there or is being made. */
export interface PresentDataset
  extends Pick<
    DatasetRow,
    | 'id'
    | 'version'
    | 'isCurrent'
    | 'name'
    | 'keep'
    | 'managed'
    | 'sizeBytes'
    | 'computeMs'
    | 'nondeterministic'
    | 'usedAt'
    | 'producerId'
  > {
  readonly state: DatasetState;
}

/** Means over everything computed under one action name. */
export interface ActionCost {
  readonly name: string;
  readonly samples: number;
  readonly meanMs: number;
  readonly meanBytes: number;
}

/** An action of the rolling window. */
export interface RecentAction {
  readonly id: number;
  readonly runId: number;
  readonly key: string;
  readonly name: string;
  readonly userName: string;
  readonly state: ActionState;
  readonly signature: string;
  readonly datasetId: number | null;
  readonly createdAt: number;
  readonly endedAt: number | null;
}

/** What is counted: submitted runs or actions, in a stretch of time, `from` included, `until` not. */
export interface ArrivalFilter {
  readonly of: 'runs' | 'actions';
  readonly from: number;
  readonly until: number;
  /** Name of the workflow or of the action. */
  readonly name?: string | undefined;
  readonly userName?: string | undefined;
}

export interface ArrivalCount {
  /** When the stretch begins, a multiple of the resolution. */
  readonly start: number;
  readonly count: number;
}

export interface ArrivalGaps {
  readonly count: number;
  readonly meanMs: number;
  readonly leastMs: number;
  readonly mostMs: number;
  /** How many gaps fall into each stretch of the resolution. */
  readonly histogram: readonly { readonly gapMs: number; readonly count: number }[];
}

export interface SavingsRow {
  readonly userName: string;
  readonly workflow: string;
  readonly runs: number;
  readonly computedMs: number;
  readonly savedMs: number;
  readonly paidMs: number;
}

/** Something about a run that its user should know; one of each kind. */
export interface RunNote {
  readonly runId: number;
  readonly kind: string;
  readonly at: number;
  readonly text: string;
}

/** A result that an ended run of a user holds, the newest run first. */
export interface HeldResult {
  readonly runId: number;
  readonly slot: string;
  readonly position: string;
  readonly datasetId: number;
  readonly sizeBytes: number;
}

export interface HistoryView {
  /** Events after a sequence number, in order; with `before`, the newest first. */
  historyEvents(page: {
    readonly after?: number;
    readonly before?: number;
    readonly kind?: HistoryEventRow['kind'];
    readonly realms?: readonly string[] | undefined;
    readonly limit: number;
  }): Promise<HistoryEventRow[]>;
  historyOfRuns(runIds: readonly number[]): Promise<HistoryEventRow[]>;
  /** Ended runs with larger ids than `after` that no event records yet, in the order of their ends. */
  unrecordedRuns(page: { readonly after: number; readonly limit: number }): Promise<EndedRun[]>;
  /** The smallest id of a run that no event records; undefined when there is none. */
  firstUnrecordedRun(after: number): Promise<number | undefined>;
  runMembers(run: { readonly id: number; readonly realm: string }): Promise<RunMember[]>;
  /** Datasets with a size that the run's actions read, and that the run holds as results. */
  runDatasets(runId: number): Promise<{ readonly datasetId: number; readonly result: number }[]>;
  datasetSketches(ids: readonly number[]): Promise<DatasetSketch[]>;
  /** Parents as pairs of dataset and parent, one after the other, in no promised order. */
  parentLinks(datasetIds: readonly number[]): Promise<Float64Array>;
  /** Datasets that are not DELETED, by id. */
  presentDatasets(page: { readonly after: number; readonly limit: number }): Promise<PresentDataset[]>;
  presentDatasetsById(ids: readonly number[]): Promise<PresentDataset[]>;
  /** Datasets that are there or being made to stay, and stand for their signature. A page that is not full is the last. */
  presence(page: { readonly after: number; readonly limit: number }): Promise<PresenceColumns>;
  claims(): Promise<ClaimColumns>;

  /** The last actions, newest first. */
  recentActions(page: {
    readonly before?: number;
    readonly realms?: readonly string[] | undefined;
    readonly limit: number;
  }): Promise<RecentAction[]>;
  countArrivals(
    filter: ArrivalFilter & {
      readonly resolutionMs: number;
      readonly after?: number;
      readonly limit: number;
    },
  ): Promise<ArrivalCount[]>;
  arrivalGaps(filter: ArrivalFilter & { readonly resolutionMs: number }): Promise<ArrivalGaps>;
  actionCosts(page: { readonly after?: string; readonly limit: number }): Promise<ActionCost[]>;
  savings(period: {
    readonly from: number;
    readonly until: number;
    readonly realms?: readonly string[] | undefined;
  }): Promise<SavingsRow[]>;

  keepRules(): Promise<KeepRule[]>;
  runNotes(runIds: readonly number[]): Promise<RunNote[]>;
  heldResults(userName: string): Promise<HeldResult[]>;
  /** Users who hold results of ended runs. */
  resultHolders(): Promise<string[]>;
  /** Recorded runs that ended before a time and whose details are still there, oldest first. */
  compactableRuns(page: { readonly endedBefore: number; readonly limit: number }): Promise<number[]>;
  attemptKeysOfRun(runId: number): Promise<string[]>;
  /**
   * Looks at up to `limit` DELETED datasets with smaller ids than `before`, the newest first: those that may be forgotten, and
   * where to go on; undefined at the end.
   */
  forgettableDatasets(page: {
    readonly before: number;
    readonly unusedSince: number;
    readonly limit: number;
  }): Promise<{ readonly ids: readonly number[]; readonly next: number | undefined }>;
}

export interface HistoryWrites {
  /** Takes the lease if it is free or has run out; returns its fencing number. */
  takeLease(lease: {
    readonly name: string;
    readonly owner: string;
    readonly now: number;
    readonly until: number;
  }): Promise<number | undefined>;
  /** Extends and locks the lease until the transaction ends; false when somebody else has taken it since. */
  holdLease(lease: {
    readonly name: string;
    readonly fence: number;
    readonly until: number;
  }): Promise<boolean>;
  releaseLease(lease: { readonly name: string; readonly fence: number }): Promise<void>;

  /** Appends events; the caller holds the lease in this transaction. Returns the sequence number of the last. */
  appendHistory(events: readonly NewHistoryEvent[]): Promise<number>;
  /** Writes down what recorded runs demanded. */
  settleDemands(demands: readonly SettledDemand[]): Promise<void>;
  addCosts(costs: readonly ActionCost[]): Promise<void>;

  addKeepRule(rule: Omit<KeepRule, 'id'>): Promise<number>;
  removeKeepRule(id: number): Promise<boolean>;
  /** Writes the note unless the run has one of this kind; returns whether it is new. */
  noteRun(note: RunNote): Promise<boolean>;

  /**
   * Drops what is known about up to `limit` single actions of an ended, recorded run: actions, attempts, released edges; with the
   * last of them its journal. Counts per hour stay. Claims of the run on its results are not touched. True when more is left.
   */
  compactRun(runId: number, at: number, limit: number): Promise<boolean>;
  /**
   * Forgets those of the datasets that may still be: deleted and not used since a time, and nothing known was made from them, holds
   * them, names them or is a newer edition of them. Their lineage and journal go with them. Returns how many.
   */
  forgetDatasets(ids: readonly number[], unusedSince: number): Promise<number>;
  /** Drops journal rows older than a time that belong to no run, from a row id on; returns the last row looked at. */
  compactJournal(page: {
    readonly after: number;
    readonly olderThan: number;
    readonly limit: number;
  }): Promise<{ readonly through: number; readonly more: boolean }>;
}

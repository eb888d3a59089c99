// The shared database as the engine sees it: the only coordinator. Everything that changes goes through a transaction; a
// transaction's body may be run again from the start (deadlock, lost connection, a neighbour's failure in the same group),
// so it has no effect outside the transaction.
import type { Json } from '../json.ts';
import type { ActionEvent, ActionState } from '../machines/action.ts';
import type { MachineName } from '../machines/all.ts';
import type { DatasetEvent, DatasetState } from '../machines/dataset.ts';
import type { RunState } from '../machines/run.ts';
import type {
  ActionRow,
  AttemptRow,
  DatasetRow,
  EdgeHolder,
  EdgeRow,
  JournalRow,
  RunDocument,
  RunRow,
  WorkerRow,
} from '../rows.ts';
import type { AccountsView, AccountsWrites } from './accounts.ts';
import type { HistoryView, HistoryWrites } from './history.ts';
import type { ListingView, ListingWrites } from './listing.ts';
import type { RemoteJobsView, RemoteJobsWrites } from './remote-jobs.ts';

/** What a process may wait for; `journal` comes with every change of state, `*` means: anything may have happened. */
export type Topic = 'ready' | 'run' | 'doomed' | 'worker' | 'cancel' | 'job' | 'journal' | '*';

export interface Store {
  /** Where it is, without secrets. */
  readonly where: string;
  readonly dialect: 'sqlite' | 'postgres';
  /** Reads the newest committed state. */
  readonly view: StoreView;
  /** As `view`, for looks at much of the store: what was looked at does not stay in the memory of the process. */
  readonly survey: StoreView;
  /**
   * Runs the body in a transaction that it may share with others (group commit); resolves when it is committed.
   */
  write<T>(body: (tx: StoreTransaction) => Promise<T>, options?: WriteOptions): Promise<T>;
  listen(listener: (topic: Topic) => void): () => void;
  /** Resolves when everything that `view` can show now is durable; a read may be one disk flush ahead. */
  settled(): Promise<void>;
  close(): Promise<void>;
}

/**
 * What a reported transaction survives. `true`: a power failure as well. `processes`: the death of any process, also that of a database
 * server. `false`: the death of this process; the last moment before a database server dies may be lost.
 */
export type Durability = boolean | 'processes';

export interface WriteOptions {
  /** True unless said otherwise. */
  readonly durable?: Durability;
  /** The body takes the planners' lock: it shares its transaction only with others that do, so that nobody else waits for it. */
  readonly planning?: boolean;
  /** What the body of a planner asks before it writes, so that the questions of all that share a transaction travel together. */
  readonly asks?: PlanQuestions;
}

export interface PlanQuestions {
  /** For `runBySubmission`. */
  readonly submissionKey: string;
  /** For `datasetFacts`. */
  readonly signatures: readonly string[];
}

export interface RunFilter {
  readonly states?: readonly RunState[];
  readonly userName?: string;
  readonly realms?: readonly string[];
  readonly before?: number;
  readonly limit: number;
}

export interface DatasetFilter {
  readonly states?: readonly DatasetState[];
  readonly name?: string;
  readonly realms?: readonly string[];
  readonly before?: number;
  readonly limit: number;
}

export type DatasetFactRow = Pick<
  DatasetRow,
  | 'id'
  | 'state'
  | 'signature'
  | 'realm'
  | 'definition'
  | 'removalBeganAt'
  | 'digest'
  | 'producerId'
  | 'sameAs'
  | 'deletedReason'
  | 'location'
  | 'sizeBytes'
  | 'managed'
  | 'isCurrent'
  | 'uses'
>;

/** A stretch of the past, `from` included, `until` not; the newest come first. */
export interface HistoryWindow {
  readonly from?: number;
  readonly until?: number;
  readonly limit: number;
}

export type EndedActionRow = Pick<
  ActionRow,
  'id' | 'runId' | 'name' | 'state' | 'signature' | 'datasetId' | 'startedAt' | 'endedAt'
>;

export interface GrowthRow {
  readonly signature: string;
  readonly realm: string;
  readonly members: readonly GrowthMember[];
}

/** One of the datasets that stood for a growing action; `position` is '' for the only one, else its place in the list. */
export interface GrowthMember {
  readonly datasetId: number;
  readonly position: string;
}

export interface LineageRow {
  readonly datasetId: number;
  readonly slot: string;
  readonly position: string;
  readonly parentId: number;
}

export interface StoreView extends HistoryView, ListingView, AccountsView, RemoteJobsView {
  runs(ids: readonly number[]): Promise<RunRow[]>;
  /** Whether the run is there and has not ended: a fraction of the cost of its row. */
  isLive(runId: number): Promise<boolean>;
  runDocument(id: number): Promise<RunDocument | undefined>;
  listRuns(filter: RunFilter): Promise<RunRow[]>;
  runBySubmission(submissionKey: string): Promise<RunRow | undefined>;
  liveRuns(): Promise<number[]>;
  /** Runs by the time of their submission. */
  submittedRuns(window: HistoryWindow): Promise<RunRow[]>;
  /**
   * Of the given runs, those in which no action is live. Of several transactions that end the last actions of a run at the same moment one
   * is told, if all of these actions had been taken; otherwise a later look finds the run.
   */
  runsWithoutLiveActions(runIds: readonly number[]): Promise<number[]>;
  /** How the actions of a run stand and why, counted. */
  summarizeActions(runId: number): Promise<
    {
      readonly state: ActionState;
      readonly reason: string;
      readonly expands: number;
      readonly count: number;
    }[]
  >;
  /** Compute time of the datasets that the run did not have to compute. */
  savedMs(runId: number): Promise<number>;
  countActions(runId: number): Promise<{ readonly state: ActionState; readonly count: number }[]>;

  actions(ids: readonly number[]): Promise<ActionRow[]>;
  actionsByKey(runId: number, keys: readonly string[]): Promise<ActionRow[]>;
  actionsOfRun(
    runId: number,
    options?: { readonly states?: readonly ActionState[]; readonly after?: number; readonly limit?: number },
  ): Promise<ActionRow[]>;
  actionsOfDatasets(datasetIds: readonly number[], limit: number): Promise<ActionRow[]>;
  /** Actions by the time of their end: the rolling window of what was used last. */
  endedActions(window: HistoryWindow): Promise<EndedActionRow[]>;
  ownedActions(owner: string): Promise<ActionRow[]>;
  /** The sets of tags that READY actions demand which are due now; without the empty one. */
  demandedTags(now: number): Promise<string[]>;
  /** When the next delayed READY action or expired lease is due; undefined when there is none. */
  nextDue(): Promise<number | undefined>;

  attempts(actionIds: readonly number[]): Promise<AttemptRow[]>;
  attemptsByKey(keys: readonly string[]): Promise<AttemptRow[]>;

  datasets(ids: readonly number[]): Promise<DatasetRow[]>;
  datasetsBySignature(signatures: readonly string[], realms: readonly string[]): Promise<DatasetRow[]>;
  /** As `datasetsBySignature` with only what the planner looks at. */
  datasetFacts(signatures: readonly string[], realms: readonly string[]): Promise<DatasetFactRow[]>;
  datasetFactsById(ids: readonly number[]): Promise<DatasetFactRow[]>;
  datasetsByPhysical(physicals: readonly string[], realms: readonly string[]): Promise<DatasetRow[]>;
  datasetsByPrefix(prefix: string, limit: number, realms?: readonly string[]): Promise<DatasetRow[]>;
  datasetsByLocation(locations: readonly string[]): Promise<DatasetRow[]>;
  listDatasets(filter: DatasetFilter): Promise<DatasetRow[]>;
  /** The newest earlier datasets with this action name: what `why` compares with. */
  datasetsNamed(name: string, realms: readonly string[], limit: number): Promise<DatasetRow[]>;
  /** Bytes and counts by state, of everything or of some realms. */
  datasetTotals(
    realms?: readonly string[],
  ): Promise<{ readonly state: DatasetState; readonly count: number; readonly sizeBytes: number }[]>;
  growths(signatures: readonly string[], realms: readonly string[]): Promise<GrowthRow[]>;
  parentsOf(datasetIds: readonly number[]): Promise<LineageRow[]>;
  childrenOf(datasetIds: readonly number[], limit: number): Promise<LineageRow[]>;

  edgesOf(holder: EdgeHolder, holderIds: readonly number[]): Promise<EdgeRow[]>;
  /** Edges that wait for or hold the datasets. */
  edgesOn(datasetIds: readonly number[]): Promise<EdgeRow[]>;
  /** Edges that wait for growing actions to grow. */
  edgesOnGrowth(producerIds: readonly number[]): Promise<EdgeRow[]>;

  journal(filter: {
    readonly after?: number;
    /** Only older rows, the newest first. */
    readonly before?: number;
    readonly runId?: number;
    readonly datasetId?: number;
    readonly limit: number;
  }): Promise<JournalRow[]>;
  workers(options?: { readonly live?: boolean; readonly ids?: readonly number[] }): Promise<WorkerRow[]>;
  setting(key: string): Promise<string | undefined>;
  fileDigests(
    keys: readonly string[],
  ): Promise<Map<string, { readonly sha256: string; readonly sizeBytes: number }>>;
  /** The rank of the action dispatched last: where a new run joins the queue. */
  dispatchClock(): Promise<number>;
}

/** One row's part in a move; the row moves only if every condition given holds. */
export interface Move {
  readonly id: number;
  /** The holder's fencing number: an owner whose lease was lost changes nothing. */
  readonly fence?: number;
  readonly version?: number;
  /** Columns to set along with the state; the same columns in every move of one call. */
  readonly set?: Readonly<Record<string, string | number | null>>;
  readonly detail?: Json;
}

export interface Moved {
  readonly id: number;
  readonly from: string;
  readonly to: string;
  readonly version: number;
  readonly runId: number | null;
}

export interface MoveContext {
  readonly actor: string;
  readonly at: number;
  /** Move a dataset only if no edge holds or awaits it (I2). */
  readonly unclaimed?: boolean;
}

export type EventOf<M extends MachineName> = M extends 'action'
  ? ActionEvent
  : M extends 'dataset'
    ? DatasetEvent
    : string;

export type NewRow<T> = Omit<T, 'version' | 'owner' | 'leaseUntil' | 'fence'>;

export interface StoreTransaction
  extends StoreView,
    HistoryWrites,
    ListingWrites,
    AccountsWrites,
    RemoteJobsWrites {
  /** Reserves `count` consecutive ids and returns the first. */
  nextIds(kind: MachineName, count: number): Promise<number>;
  /** Holds off every other planner until the transaction ends, where the database allows several writers. */
  lockPlanning(): Promise<void>;

  insertRun(run: NewRow<RunRow & RunDocument>): Promise<void>;
  insertActions(actions: readonly NewRow<ActionRow>[]): Promise<void>;
  insertDatasets(datasets: readonly NewRow<DatasetRow>[]): Promise<void>;
  insertAttempts(attempts: readonly NewRow<AttemptRow>[]): Promise<void>;
  insertEdges(edges: readonly EdgeRow[]): Promise<void>;
  insertLineage(rows: readonly LineageRow[]): Promise<void>;
  putGrowth(signature: string, realm: string, members: readonly GrowthMember[], at: number): Promise<void>;

  /** The one writer of state: compare-and-set along the machine's table, with a journal row each (I1). */
  move<M extends MachineName>(
    machine: M,
    event: EventOf<M>,
    moves: readonly Move[],
    context: MoveContext,
  ): Promise<Moved[]>;
  /** A journal row for something that is no move (a difference found, a decision made). */
  note(
    machine: MachineName,
    entityId: number,
    runId: number | null,
    event: string,
    detail: Json,
    context: MoveContext,
  ): Promise<void>;

  /** Takes up to `limit` due READY actions that demand these tags (none unless said), by priority and rank. */
  takeActions(
    lease: Lease & { readonly now: number; readonly limit: number; readonly tags?: string },
  ): Promise<ActionRow[]>;
  /** Takes over actions whose lease ran out; their fence rises, their state stays. */
  takeOverActions(
    lease: Lease & { readonly now: number; readonly limit: number; readonly spare?: Spared },
  ): Promise<ActionRow[]>;
  extendActions(lease: Lease): Promise<number>;
  /** Ends the leases of owners that are known to be dead. */
  expireActions(owners: readonly string[], now: number): Promise<number>;
  requestCancel(actionIds: readonly number[]): Promise<void>;

  /** Locks the rows in id order, so that two transactions that finish parents of one child see each other. */
  lockActions(ids: readonly number[]): Promise<void>;
  /** Of these actions, the WAITING ones with no edge left to wait for. */
  unblocked(actionIds: readonly number[]): Promise<number[]>;
  /** WAITING edges on the datasets become HELD; returns them. */
  holdEdges(datasetIds: readonly number[]): Promise<EdgeRow[]>;
  /** HELD edges on the datasets fall back to WAITING; returns them. */
  unholdEdges(datasetIds: readonly number[]): Promise<EdgeRow[]>;
  /** Ends the holders' edges, claims included; returns the datasets that were held. */
  releaseEdges(holder: EdgeHolder, holderIds: readonly number[]): Promise<number[]>;
  /** Moves live edges from one dataset to another that stands for it. */
  repointEdges(fromDatasetId: number, toDatasetId: number): Promise<void>;
  deleteEdges(edges: readonly Pick<EdgeRow, 'holder' | 'holderId' | 'slot' | 'position'>[]): Promise<void>;
  /** Pins and downloads whose time is over. */
  expireEdges(now: number): Promise<number[]>;

  /**
   * Locks the rows and returns how they stand. A planner that joins work in flight locks its dataset first and looks at the
   * state again, so that no edge begins to wait for what is just being published.
   */
  lockDatasets(ids: readonly number[]): Promise<Pick<DatasetRow, 'id' | 'state' | 'removalBeganAt'>[]>;
  /** Counts a use and locks the rows; returns those that are still in an available state and not being removed. */
  touchDatasets(ids: readonly number[], at: number): Promise<Pick<DatasetRow, 'id' | 'state'>[]>;
  /** Sets columns of datasets that are no state. */
  updateDataset(id: number, set: Readonly<Record<string, string | number | null>>): Promise<void>;
  takeDoomed(lease: Lease & { readonly now: number; readonly limit: number }): Promise<DatasetRow[]>;

  setActionColumns(id: number, set: Readonly<Record<string, string | number | null>>): Promise<void>;
  setAttemptHandle(id: number, handle: string): Promise<void>;
  setRunColumns(id: number, set: Readonly<Record<string, string | number | null>>): Promise<void>;
  advanceDispatchClock(rank: number): Promise<void>;

  insertWorker(worker: NewRow<WorkerRow> & { readonly leaseUntil: number }): Promise<void>;
  /** Drops processes that left or were lost and were last heard of before a time. */
  forgetWorkers(seenBefore: number): Promise<void>;
  setWorkerColumns(id: number, set: Readonly<Record<string, string | number | null>>): Promise<void>;
  heartbeat(id: number, now: number, leaseUntil: number, doing: string | null): Promise<boolean>;
  putSetting(key: string, value: string): Promise<void>;
  putFileDigests(
    entries: readonly { readonly key: string; readonly sha256: string; readonly sizeBytes: number }[],
    at: number,
  ): Promise<void>;
  /** Wakes whoever waits for the topic, after the commit. */
  notify(topic: Topic): void;
}

/**
 * Actions that run as processes of another machine than that of `handle` are left alone if their lease ran out after `since`: a process
 * that starts there again finds them, while elsewhere they would be lost.
 */
export interface Spared {
  readonly handle: string;
  readonly since: number;
}

export interface Lease {
  readonly owner: string;
  readonly until: number;
}

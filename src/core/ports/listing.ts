// Short views of runs and datasets for people and programs that look at many of them: pages in order of age, found by indexes whatever
// else the store holds, without the columns that can be long.
import type { DatasetState } from '../machines/dataset.ts';
import type { RunState } from '../machines/run.ts';
import type { DatasetRow, RunRow } from '../rows.ts';

export type RunListing = Pick<
  RunRow,
  | 'id'
  | 'state'
  | 'name'
  | 'language'
  | 'userName'
  | 'realm'
  | 'priority'
  | 'retryOf'
  | 'submittedAt'
  | 'endedAt'
>;

export type DatasetListing = Pick<
  DatasetRow,
  | 'id'
  | 'state'
  | 'signature'
  | 'realm'
  | 'name'
  | 'sizeBytes'
  | 'fileCount'
  | 'computeMs'
  | 'uses'
  | 'createdAt'
  | 'storedAt'
  | 'usedAt'
  | 'deletedAt'
  | 'deletedReason'
>;

interface PageFilter {
  /** Only of these realms; of all without it. */
  readonly realms?: readonly string[] | undefined;
  readonly name?: string | undefined;
  /** A part of the name, in any case. */
  readonly search?: string | undefined;
  /** Only with smaller ids: the next page. */
  readonly before?: number | undefined;
  readonly limit: number;
}

export interface RunPageFilter extends PageFilter {
  readonly states?: readonly RunState[] | undefined;
  readonly userName?: string | undefined;
  /** By time of submission, `from` included, `until` not. */
  readonly from?: number | undefined;
  readonly until?: number | undefined;
}

export interface DatasetPageFilter extends PageFilter {
  readonly states?: readonly DatasetState[] | undefined;
}

/** The newest first. A search looks at a bounded number of rows; `before` of the next page may come after a page that is not full. */
export interface ListingPage<T> {
  readonly rows: readonly T[];
  /** Where the next page begins; undefined at the end. */
  readonly next: number | undefined;
}

export interface RunStanding extends Pick<RunRow, 'id' | 'state' | 'realm' | 'endedAt'> {
  readonly actions: Readonly<Record<string, number>>;
}

/** How much space was in use at a moment. */
export interface SpaceSample {
  readonly at: number;
  readonly usedBytes: number;
  readonly resultBytes: number;
  readonly budgetBytes: number | null;
}

export interface ListingView {
  pageRuns(filter: RunPageFilter): Promise<ListingPage<RunListing>>;
  pageDatasets(filter: DatasetPageFilter): Promise<ListingPage<DatasetListing>>;
  runListing(id: number): Promise<RunListing | undefined>;
  /** How a run stands and how many of its actions are in which state, in one look. */
  runStanding(id: number): Promise<RunStanding | undefined>;
  /** The realms of runs and of datasets, by their ids; signatures come along with datasets. */
  runRealms(ids: readonly number[]): Promise<Map<number, string>>;
  datasetRealms(
    ids: readonly number[],
  ): Promise<Map<number, { readonly realm: string; readonly signature: string }>>;
  /** Up to `points` samples, evenly spread over the stretch of time. */
  spaceSamples(page: {
    readonly from: number;
    readonly until: number;
    readonly points: number;
  }): Promise<SpaceSample[]>;
  /** The id of the last journal row that a reader can rely on. */
  lastJournalId(): Promise<number>;
}

export interface ListingWrites {
  /** Keeps the sample unless there is one of the same minute; older ones are thinned out. */
  putSpaceSample(sample: SpaceSample): Promise<void>;
}

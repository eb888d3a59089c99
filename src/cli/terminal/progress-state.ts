// What the progress display shows about a run: plain facts that the caller brings up to date.

export interface RunningAction {
  readonly name: string;
  readonly startedAt: number;
}

export interface ProgressCounts {
  readonly computed: number;
  readonly reused: number;
  /** Computed by another run that we waited for. */
  readonly joined: number;
  readonly skipped: number;
  readonly failed: number;
  readonly running: number;
}

export interface ProgressState {
  readonly title: string;
  /** Known so far; grows when the graph does. */
  readonly total: number;
  readonly counts: ProgressCounts;
  /** Compute time that reuse and joining made unnecessary. */
  readonly savedMs: number;
  readonly startedAt: number;
  readonly now: number;
  /** Longest first; as many as are worth showing. */
  readonly running: readonly RunningAction[];
}

/** Actions that have ended, however they ended. */
export function endedCount({ computed, reused, joined, skipped, failed }: ProgressCounts): number {
  return computed + reused + joined + skipped + failed;
}

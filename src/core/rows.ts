// The rows of the store as the engine sees them. Times are milliseconds since the epoch, flags are 0 or 1, JSON is text: rows
// pass through by the hundred thousand and are parsed only where somebody looks inside.
import type { ActionState } from './machines/action.ts';
import type { AttemptState } from './machines/attempt.ts';
import type { DatasetState } from './machines/dataset.ts';
import type { RunState } from './machines/run.ts';
import type { WorkerState } from './machines/worker.ts';
import type { Keep } from './workflow.ts';

export interface Token {
  readonly id: number;
  readonly version: number;
  readonly owner: string | null;
  readonly leaseUntil: number;
  readonly fence: number;
}

export interface RunRow extends Token {
  readonly state: RunState;
  readonly name: string;
  readonly language: string;
  readonly userName: string;
  readonly realm: string;
  readonly failurePolicy: string;
  readonly priority: number;
  readonly submissionKey: string;
  readonly retryOf: number | null;
  readonly submittedAt: number;
  readonly endedAt: number | null;
  readonly error: string | null;
  readonly summary: string | null;
}

/** What was submitted; apart from the row, which is looked at often, because it may be as large as a book. */
export interface RunDocument {
  readonly source: string | null;
  readonly parameters: string | null;
}

export interface ActionRow extends Token {
  readonly state: ActionState;
  readonly runId: number;
  readonly key: string;
  readonly name: string;
  readonly type: string;
  /** The NodeDefinition as JSON. */
  readonly node: string;
  readonly expands: number;
  readonly result: number;
  /** The growing action that inserted this one. */
  readonly grownFrom: number | null;
  /** For a growing action that has grown: JSON list of the keys that stand for it. */
  readonly grown: string | null;
  readonly datasetId: number | null;
  readonly signature: string;
  readonly priority: number;
  /** What the machine that executes it must offer, in the form of `tagsText`. */
  readonly tags: string;
  readonly rank: number;
  readonly attempts: number;
  /** How many attempts were lost by the back-end; counted apart from failures. */
  readonly lost: number;
  readonly cancelRequested: number;
  /** JSON `Reason`: why it was planned as it was. */
  readonly reason: string;
  readonly error: string | null;
  readonly createdAt: number;
  readonly readyAt: number | null;
  readonly startedAt: number | null;
  readonly endedAt: number | null;
}

export interface AttemptRow extends Token {
  readonly state: AttemptState;
  readonly actionId: number;
  readonly number: number;
  readonly key: string;
  readonly backend: string;
  readonly handle: string | null;
  readonly worker: string;
  readonly submittedAt: number;
  readonly startedAt: number | null;
  readonly endedAt: number | null;
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly cpuMs: number | null;
  readonly peakBytes: number | null;
  readonly error: string | null;
}

export interface DatasetRow extends Token {
  readonly state: DatasetState;
  readonly signature: string;
  readonly realm: string;
  readonly isCurrent: number;
  /** Canonical text that was signed. */
  readonly definition: string;
  readonly physical: string | null;
  /** Canonical JSON slot → digests of the inputs from which it was computed last. */
  readonly inputs: string | null;
  /** The NodeDefinition as JSON: enough to compute it again. */
  readonly node: string;
  readonly name: string;
  /** The action that computes it, or computed it last. */
  readonly producerId: number | null;
  /** Another dataset with equal bytes that stands for this one. */
  readonly sameAs: number | null;
  readonly managed: number;
  readonly keep: Keep;
  readonly location: string | null;
  readonly sizeBytes: number | null;
  readonly fileCount: number | null;
  readonly digest: string | null;
  readonly value: string | null;
  readonly computeMs: number | null;
  readonly cpuMs: number | null;
  readonly uses: number;
  readonly nondeterministic: number;
  readonly removalBeganAt: number | null;
  readonly createdAt: number;
  readonly storedAt: number | null;
  readonly usedAt: number | null;
  readonly deletedAt: number | null;
  readonly deletedReason: string | null;
}

export type EdgeHolder = 'action' | 'join' | 'run' | 'pin' | 'download';
export type EdgeState = 'WAITING' | 'HELD' | 'RELEASED';

/** Who waits for, or holds, whose dataset. HELD edges are claims (I2). */
export interface EdgeRow {
  readonly holder: EdgeHolder;
  readonly holderId: number;
  readonly slot: string;
  /** Order within a slot; '' for a single input. */
  readonly position: string;
  /** Unknown while the producer is a growing action that has not grown. */
  readonly datasetId: number | null;
  readonly producerId: number | null;
  readonly optional: number;
  readonly state: EdgeState;
  readonly expiresAt: number | null;
}

export interface JournalRow {
  readonly id: number;
  readonly at: number;
  readonly machine: string;
  readonly entityId: number;
  readonly runId: number | null;
  readonly event: string;
  readonly fromState: string;
  readonly toState: string;
  readonly actor: string;
  readonly detail: string | null;
}

export interface WorkerRow extends Token {
  readonly state: WorkerState;
  readonly name: string;
  readonly roles: string;
  readonly host: string;
  readonly boot: string;
  readonly pid: number;
  readonly processStarted: string;
  readonly programVersion: string;
  readonly capacity: string | null;
  readonly doing: string | null;
  readonly joinedAt: number;
  readonly seenAt: number;
  /** What its machine offers. */
  readonly tags: string;
  /** SHA-256 of the secret of a worker that is reached over the network; null for a process on the store. */
  readonly session: string | null;
  /** 1 when it is told to leave without finishing what it has. */
  readonly leaveNow: number;
}

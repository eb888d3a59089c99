// The language-neutral form of a workflow: what every language front end produces and what the engine plans. A node is
// an action to be: it computes one dataset, or it grows the graph once its inputs are known.
import type { JsonObject } from './json.ts';

export type FailurePolicy = 'stop' | 'finish-what-is-possible';
export type Keep = 'auto' | 'always' | 'never';

export interface WorkflowDefinition {
  readonly name: string;
  /** Which front end made it: its action types execute the nodes. */
  readonly language: string;
  readonly failurePolicy: FailurePolicy;
  readonly nodes: readonly NodeDefinition[];
}

export interface NodeDefinition {
  /** Unique within the run; the action's id as the document gives it. */
  readonly key: string;
  readonly name: string;
  /** Name of the action type that prepares, collects or expands it. */
  readonly type: string;
  /** True when the node computes nothing itself but inserts further nodes once its inputs are known. */
  readonly expands: boolean;
  readonly parents: readonly ParentLink[];
  /** Everything that decides the bytes of the dataset, apart from the parents: enters the signature. */
  readonly identity: JsonObject;
  /** Everything that the action type needs to execute it: superset of identity in its own words. */
  readonly spec: JsonObject;
  readonly policy: NodePolicy;
  /** A result of the run: its dataset becomes a LEAF. */
  readonly result: boolean;
}

/** The dataset of node `key` is wanted under the name `slot`. */
export interface ParentLink {
  readonly slot: string;
  readonly key: string;
  /** Set where the dataset is a member of a list: sorts in the list's order. */
  readonly position?: string;
  /** An optional parent may end as SKIPPED by its condition; the slot is then empty. */
  readonly optional?: boolean;
  /**
   * False when what is used of the dataset already is in the node's identity by content: the dataset is waited for and
   * claimed, but does not enter the signature.
   */
  readonly signed?: boolean;
}

/** How an action is run; outside identity. */
export interface NodePolicy {
  readonly forced: boolean;
  /** Where an unmanaged action's output goes; undefined for a managed one. */
  readonly outputPath?: string | undefined;
  readonly keep: Keep;
  readonly priority: number;
  readonly resources: Resources;
  readonly retries: RetryPolicy;
  readonly timeoutMs?: number | undefined;
}

export interface Resources {
  readonly cores: number;
  readonly memoryBytes?: number | undefined;
  readonly diskBytes?: number | undefined;
  /** Expected wall time, for back-ends that reserve it. */
  readonly timeMs?: number | undefined;
  /** What the machine must offer. */
  readonly tags?: readonly string[] | undefined;
}

export interface RetryPolicy {
  /** How many attempts after the first. */
  readonly count: number;
  readonly delayMs: number;
  /** Each further delay is multiplied by it. */
  readonly backoff: number;
  readonly maxDelayMs: number;
  /** Exit codes worth another attempt; undefined means all. Lost and unavailable back-ends are always worth one. */
  readonly exitCodes?: readonly number[] | undefined;
}

export const defaultPolicy: NodePolicy = {
  forced: false,
  keep: 'auto',
  priority: 0,
  resources: { cores: 1 },
  retries: { count: 0, delayMs: 1000, backoff: 2, maxDelayMs: 300_000 },
};

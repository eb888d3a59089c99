// What a language brings to the engine: how an action of one type is turned into a job, how its outputs are collected, and how
// a node that depends on run-time values grows the graph. Implementations are registered by the composition root.
import type { Json, JsonObject } from '../json.ts';
import type { NodeDefinition } from '../workflow.ts';
import type { BackendJob, JobOutcome } from './backend.ts';
import type { AttemptSpace } from './storage.ts';

/** One available input dataset of an action. */
export interface InputDataset {
  readonly slot: string;
  /** '' for a single dataset; otherwise it is a member of a list, and positions sort in the list's order. */
  readonly position: string;
  /** Key of the node of this run that stands for the dataset: of the element, when the parent grew into several. Given to growing nodes. */
  readonly node?: string;
  /** Absolute path of the dataset's directory (read-only). */
  readonly path: string;
  readonly digest: string;
  /** Small JSON value that the producing action type attached to its dataset. */
  readonly value: Json;
}

export interface PrepareContext {
  readonly node: NodeDefinition;
  readonly inputs: readonly InputDataset[];
  readonly space: AttemptSpace;
  readonly key: string;
}

export interface CollectContext extends PrepareContext {
  readonly outcome: Extract<JobOutcome, { kind: 'exited' }>;
}

/** Why an attempt that ran to its end does not count. */
export interface AttemptFailure {
  readonly code: string;
  readonly message: string;
  /** False when another attempt cannot help. */
  readonly retryable: boolean;
}

export type Collected = { readonly value: Json } | { readonly failure: AttemptFailure };

/** What a growing node becomes: new nodes, and those whose datasets stand for it, in order. */
export interface Growth {
  readonly nodes: readonly NodeDefinition[];
  readonly results: readonly string[];
  /** True when the node stands for a list, even of one or none; false when one result replaces it. */
  readonly list: boolean;
  /** Set when nothing stands for the node because its condition is false. */
  readonly skipped?: string;
}

export interface ActionType {
  readonly name: string;
  /**
   * The identity with which the dataset is looked up by content once inputs are known; undefined means that the node's
   * own identity serves.
   */
  physicalIdentity?(node: NodeDefinition, inputs: readonly InputDataset[]): JsonObject | Promise<JsonObject>;
  /**
   * Writes whatever the command needs into the attempt's space and returns the job; undefined when there is nothing to run and
   * collecting is all. May be repeated.
   */
  prepare(context: PrepareContext): Promise<BackendJob | undefined>;
  /** Looks at the finished attempt's space and leaves the dataset in `space.out`. May be repeated. */
  collect(context: CollectContext): Promise<Collected>;
  /** An attempt was stopped or lost: ends what may still run outside the back-end's sight, such as its container. May be repeated. */
  abandon?(node: NodeDefinition, key: string): Promise<void>;
  /** Only for nodes with `expands`. Pure in its inputs: repeated calls give equal growth. */
  expand?(node: NodeDefinition, inputs: readonly InputDataset[]): Promise<Growth>;
}

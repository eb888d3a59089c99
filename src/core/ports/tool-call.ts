// How an action of one language calls a tool that is written in another: the caller says what it gives, the language of the tool
// makes the node, exactly as it does for its own workflows, so that both are one dataset.
import type { Json } from '../json.ts';
import type { NodeDefinition } from '../workflow.ts';

/** A file or directory on this machine, and the name under which it counts. */
export interface CallPath {
  readonly path: string;
  readonly name: string;
}

/** What a caller gives to an input. */
export type CallInput =
  | { readonly value: Json }
  | { readonly file: CallPath }
  | { readonly directory: CallPath }
  | { readonly list: readonly CallInput[] }
  /** An output of another node of the run; `called` when that node is a call as well, otherwise its outputs are paths in its dataset. */
  | { readonly node: string; readonly output: string; readonly called: boolean };

/** A node without what only its caller knows. */
export type CalledNode = Omit<NodeDefinition, 'key' | 'name' | 'result'>;

export interface CallableTool {
  readonly inputs: readonly string[];
  /** The outputs by name: whether each is a list. */
  readonly outputs: ReadonlyMap<string, { readonly list: boolean }>;
  /** The node of one call; throws a VarveError when the inputs do not fit. */
  lower(key: string, inputs: Readonly<Record<string, CallInput>>): Promise<CalledNode>;
}

/** Finds a tool by the path or address of its document; throws a VarveError when there is none that can be called. */
export type FindTool = (document: string) => Promise<CallableTool>;

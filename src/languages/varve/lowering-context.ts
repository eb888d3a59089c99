// What all parts of lowering share while one document is turned into nodes.
import type { Json, JsonObject } from '../../core/json.ts';
import type { CallableTool } from '../../core/ports/tool-call.ts';
import type { NodePolicy } from '../../core/workflow.ts';
import type { ActionDocument, DefaultsDocument } from './document.ts';
import type { FileTable } from './file-table.ts';
import type { GivenValue } from './given-value.ts';
import type { ActionGraph } from './graph-rules.ts';
import type { NameSet } from './name-set.ts';
import type { Problems } from './problems.ts';

export interface LoweringContext {
  readonly problems: Problems;
  /** Folder of the document, absolute. */
  readonly folder: string;
  /** Names of what lies directly in that folder. */
  readonly neighbours: NameSet;
  readonly actions: readonly Json[];
  readonly graph: ActionGraph;
  readonly parameters: ReadonlyMap<string, GivenValue>;
  readonly parameterNames: readonly string[];
  readonly files: FileTable;
  /** What commands may mean as files beside the document, found when files were collected. */
  readonly programs: Map<CheckedAction, readonly string[]>;
  /** Container engines that were looked for in vain; `any` when none works at all. */
  readonly missingEngines: ReadonlySet<string>;
  /** The tools that actions call, by the id of the action. */
  readonly tools: ReadonlyMap<string, CallableTool>;
  readonly defaults: DefaultsDocument;
  readonly defaultPolicy: NodePolicy;
}

/** How templates and conditions may use an input. */
export type InputKind =
  | { readonly form: 'scalar' | 'list' }
  /** A path. */
  | { readonly form: 'path' }
  /** A folder of numbered links. */
  | { readonly form: 'many' }
  /** A value that is read from a parent's output at run time; `list` if it is always one. */
  | { readonly form: 'read'; readonly list: boolean | undefined };

export type CheckedAction = ActionDocument & JsonObject;

// What the builders of the model share while one document is loaded.
import type { CwlVersion, Process } from '../model/process.ts';
import type { DocumentStore } from './document-store.ts';
import type { Problems } from './problems.ts';
import { placeOf, type SourceNode } from './source-node.ts';
import type { TypeScope } from './type-scope.ts';

export interface BuildContext {
  readonly store: DocumentStore;
  readonly problems: Problems;
  readonly version: CwlVersion;
  /** Absolute identifier of the process that is being built; names inside it are relative to it. */
  readonly processId: string;
  readonly types: TypeScope;
  /** Where each part of the model was written, for checks that come after building. */
  readonly places: WeakMap<object, SourceNode>;
  /** Identifiers of the processes that are being built around this one. */
  readonly open: readonly string[];
  /** Builds what a step's `run` names or contains. */
  buildRun(node: SourceNode, context: BuildContext): Process | undefined;
}

/** Remembers where a part of the model was written. */
export function located<T extends object>(value: T, node: SourceNode, context: BuildContext): T {
  context.places.set(value, node);
  return value;
}

/** The place of a part of the model, if it came from a document. */
export function placeIn(places: WeakMap<object, SourceNode>, part: object) {
  const node = places.get(part);
  return node === undefined ? undefined : placeOf(node);
}

/** Leaves out the members that are undefined, so that the model is plain JSON. */
export function compact<T extends object>(object: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  for (const key of Object.keys(object) as (keyof T)[]) if (object[key] === undefined) delete object[key];
  return object as { [K in keyof T]: Exclude<T[K], undefined> };
}

// Collects every problem of a document, so that they are reported together. Places are looked up only at the end: the
// fast JSON path keeps no positions and finds them again when there is something to report.

import type { SourcePlace, VarveError } from '../../core/errors.ts';
import type { Json } from '../../core/json.ts';
import { isObject } from '../../core/json.ts';
import { languageErrors } from './error-codes.ts';

/** Where a value sits in a document, as a chain of keys that costs one small object a level. */
export interface DocumentPath {
  readonly parent: DocumentPath | undefined;
  readonly key: string | number;
}

/** A wish for a place: of the value at the path, or of the key that leads to it. */
export interface PlaceRequest {
  readonly path: readonly (string | number)[];
  readonly at: 'key' | 'value';
}

/** A parsed text and the way back from values to places. */
export interface ReadDocument {
  readonly file: string;
  readonly value: Json;
  locate(requests: readonly PlaceRequest[]): readonly (SourcePlace | undefined)[];
}

type MakeProblem = (place: SourcePlace | undefined) => VarveError;

/** More problems than these help nobody; the number of all is still told. */
export const shownProblems = 1000;

export class Problems {
  readonly #document: ReadDocument;
  readonly #found: { readonly request: PlaceRequest; readonly make: MakeProblem }[] = [];
  #count = 0;

  constructor(document: ReadDocument) {
    this.#document = document;
  }

  get count(): number {
    return this.#count;
  }

  add(path: DocumentPath | undefined, at: 'key' | 'value', make: MakeProblem): void {
    this.#count += 1;
    if (this.#found.length < shownProblems) this.#found.push({ request: { path: keysOf(path), at }, make });
  }

  /** Throws one error that carries all problems, if there are any. */
  throwIfAny(): void {
    if (this.#count > 0) this.throwAll();
  }

  /** Throws one error that carries all problems. */
  throwAll(): never {
    const places = this.#document.locate(this.#found.map((found) => found.request));
    const problems = this.#found.map((found, index) => found.make(places[index]));
    throw problemsError(this.#document.file, problems, this.#count);
  }

  /** The thing at a path in words: `action "align", field "retries.count"`. */
  where(path: DocumentPath | undefined): string {
    const keys = keysOf(path);
    if (keys[0] !== 'actions' || typeof keys[1] !== 'number')
      return keys.length === 0 ? 'the workflow' : `the field ${JSON.stringify(dotted(keys))}`;
    const list = isObject(this.#document.value) ? this.#document.value.actions : undefined;
    const action = Array.isArray(list) ? (list[keys[1]] as Json) : undefined;
    const id = isObject(action) ? action.id : undefined;
    const named = typeof id === 'string' || typeof id === 'number';
    const owner = named ? `action ${JSON.stringify(String(id).slice(0, 120))}` : `actions[${keys[1]}]`;
    return keys.length === 2 ? owner : `${owner}, field ${JSON.stringify(dotted(keys.slice(2)))}`;
  }
}

/** One error for a list of problems: unsupported if nothing else is wrong. */
export function problemsError(file: string, problems: readonly VarveError[], count: number): VarveError {
  const first = problems[0];
  const extras = { problems, place: undefined };
  if (first !== undefined && problems.every((problem) => problem.kind === 'unsupported'))
    return languageErrors.WORKFLOW_UNSUPPORTED.with(extras, file, count);
  return languageErrors.WORKFLOW_INVALID.with(extras, file, count, problems.length);
}

function keysOf(path: DocumentPath | undefined): (string | number)[] {
  const keys: (string | number)[] = [];
  for (let step = path; step !== undefined; step = step.parent) keys.push(step.key);
  return keys.reverse();
}

function dotted(keys: readonly (string | number)[]): string {
  let text = '';
  for (const key of keys)
    text += typeof key === 'number' ? `[${key}]` : `${text === '' ? '' : '.'}${key.slice(0, 120)}`;
  return text;
}

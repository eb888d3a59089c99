// How the inputs of an action are kept in its spec, and how they enter its identity: files by name and content, never by
// place; datasets by how they are looked at (the parent itself enters the signature through its link).
import type { Json, JsonObject } from '../../core/json.ts';
import type { ReadAs } from './document.ts';

export interface FileSpec {
  readonly name: string;
  readonly sha256: string;
  readonly path: string;
  readonly sizeBytes: number;
  readonly modifiedAtMs: number;
  /** Set for a program that is a directory. */
  readonly directory?: true;
}

export interface DatasetView {
  readonly output?: string;
  readonly files?: string;
  readonly as?: ReadAs;
  /** A file of the dataset, relative to it: the entry of a scattered action. */
  readonly path?: string;
  /** Several files or datasets: given as a folder of numbered links. */
  readonly many?: true;
}

export type InputSpec =
  | { readonly value: Json }
  | { readonly file: FileSpec }
  | { readonly directory: FileSpec }
  | { readonly list: readonly InputSpec[] }
  | { readonly dataset: DatasetView };

/** What of an input decides the bytes of the output. */
export function inputIdentity(spec: InputSpec): JsonObject {
  if ('file' in spec) return { file: { name: spec.file.name, sha256: spec.file.sha256 } };
  if ('directory' in spec) return { directory: { name: spec.directory.name, sha256: spec.directory.sha256 } };
  if ('list' in spec) return { list: spec.list.map(inputIdentity) };
  return spec as unknown as JsonObject;
}

/** True when spec and identity of an input are the same, so that one object can serve as both. */
export function isPlaceless(spec: InputSpec): boolean {
  return 'value' in spec || 'dataset' in spec;
}

/** The part of a variable's name that stands for a name or id: capitals, digits and `_`. */
export function variablePart(name: string): string {
  return name.toUpperCase().replace(/[^A-Z0-9_]/g, '_');
}

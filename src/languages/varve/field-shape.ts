// The vocabulary in which the field table describes values: small enough that the check, the JSON Schema and the
// reference page are each one interpreter of it.
import { tagPattern } from '../../core/tags.ts';

export type Shape =
  /** Not looked at here. */
  | { readonly is: 'any' }
  | { readonly is: 'string'; readonly empty?: boolean; readonly maxLength?: number }
  | { readonly is: 'boolean' }
  | {
      readonly is: 'integer' | 'number';
      readonly least?: number;
      readonly most?: number;
      readonly above?: number;
    }
  | { readonly is: 'choice'; readonly of: readonly string[] }
  | { readonly is: 'duration' }
  | { readonly is: 'size' }
  | { readonly is: 'id' }
  | { readonly is: 'name'; readonly rule: NameRule }
  /** A path that stays below the directory it is relative to. */
  | { readonly is: 'inner path'; readonly glob?: boolean }
  | { readonly is: 'list'; readonly of: Shape; readonly least?: number }
  | { readonly is: 'map'; readonly names: NameRule; readonly of: Shape }
  | { readonly is: 'object'; readonly what: string; readonly fields: FieldTable }
  /** Alternatives told apart by the type of the value, objects by their first distinguishing field. */
  | { readonly is: 'one of'; readonly what: string; readonly of: readonly Shape[] };

export interface NameRule {
  readonly pattern: RegExp;
  readonly words: string;
}

export interface Field {
  readonly shape: Shape;
  readonly required?: boolean;
  /** As the reference shows it. */
  readonly default?: string;
  readonly description: string;
  /** Whether a change of the value makes another dataset; undefined where the question makes no sense. */
  readonly identity?: 'inside' | 'outside';
}

export type FieldTable = Readonly<Record<string, Field>>;

/** Names of inputs, outputs and parameters. */
export const plainName: NameRule = {
  pattern: /^[A-Za-z][A-Za-z0-9_-]{0,99}$/,
  words: 'a letter, then up to 99 letters, digits, "_" or "-"',
};

/** Names of declared environment variables. */
export const variableName: NameRule = {
  pattern: /^(?!VARVE_)(?!__)[A-Za-z_][A-Za-z0-9_]{0,199}$/,
  words: 'letters, digits and "_", not starting with a digit, "__" or "VARVE_"',
};

/** Tags of machines. */
export const tagRule: NameRule = {
  pattern: tagPattern,
  words: 'a letter or digit, then up to 62 letters, digits, "_", "-" or "."',
};

/** Ids of actions; they name folders and variables, so they have no slash and no bracket. */
export const actionIdRule: NameRule = {
  pattern: /^(?![.-])[\p{L}\p{N}_.-]{1,200}$/u,
  words: 'up to 200 letters, digits, "_", "-" or ".", not starting with "." or "-"',
};

export const idForm = 'an integer or a string';

/** What a value must be, in words, for messages and the reference. */
export function shapeWords(shape: Shape): string {
  switch (shape.is) {
    case 'any':
      return 'anything';
    case 'string':
      return shape.empty ? 'a string' : 'a string that is not empty';
    case 'boolean':
      return 'true or false';
    case 'integer':
    case 'number':
      return `${shape.is === 'integer' ? 'an integer' : 'a number'}${rangeWords(shape)}`;
    case 'choice':
      return `one of ${shape.of.join(', ')}`;
    case 'duration':
      return 'a duration';
    case 'size':
      return 'a size';
    case 'id':
      return idForm;
    case 'name':
      return `a name: ${shape.rule.words}`;
    case 'inner path':
      return `a relative path${shape.glob ? ' or glob' : ''} without ".."`;
    case 'list':
      return `a list (each ${shapeWords(shape.of)})`;
    case 'map':
      return 'an object from names to values';
    case 'object':
      return shape.what;
    case 'one of':
      return shape.what;
  }
}

function rangeWords(shape: { least?: number; most?: number; above?: number }): string {
  if (shape.least !== undefined && shape.most !== undefined) return ` from ${shape.least} to ${shape.most}`;
  if (shape.least !== undefined) return ` of at least ${shape.least}`;
  if (shape.above !== undefined) return ` above ${shape.above}`;
  return '';
}

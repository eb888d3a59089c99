// The types of CWL parameters in one normal form: named types are replaced by what they stand for, `File?` and `int[]` are written
// out, and unions are flat. Everything is plain JSON, so a tool can travel inside an action's spec.

export const primitiveTypes = [
  'null',
  'boolean',
  'int',
  'long',
  'float',
  'double',
  'string',
  'File',
  'Directory',
  'Any',
] as const;

export type PrimitiveType = (typeof primitiveTypes)[number];

export interface ArrayType {
  readonly type: 'array';
  readonly items: CwlType;
  readonly inputBinding?: CommandLineBinding;
}

export interface EnumType {
  readonly type: 'enum';
  readonly name?: string;
  readonly symbols: readonly string[];
  readonly inputBinding?: CommandLineBinding;
}

export interface RecordType {
  readonly type: 'record';
  readonly name?: string;
  readonly fields: readonly RecordField[];
  readonly inputBinding?: CommandLineBinding;
}

export interface UnionType {
  readonly type: 'union';
  readonly of: readonly CwlType[];
}

export type CwlType = PrimitiveType | ArrayType | EnumType | RecordType | UnionType;

/** What parameters and record fields say about the files inside their value. */
export interface FileTraits {
  readonly secondaryFiles?: readonly SecondaryFilePattern[];
  readonly streamable?: boolean;
  /** IRIs or an expression; several are alternatives. */
  readonly format?: readonly string[];
  readonly loadContents?: boolean;
  readonly loadListing?: LoadListing;
}

export interface RecordField extends FileTraits {
  readonly name: string;
  readonly type: CwlType;
  readonly label?: string;
  readonly doc?: string;
  readonly inputBinding?: CommandLineBinding;
  readonly outputBinding?: OutputBinding;
}

export type LoadListing = 'no_listing' | 'shallow_listing' | 'deep_listing';

export interface SecondaryFilePattern {
  readonly pattern: string;
  /** Undefined means: required for inputs, optional for outputs. */
  readonly required?: boolean | string;
}

export interface CommandLineBinding {
  readonly position?: number | string;
  readonly prefix?: string;
  readonly separate?: boolean;
  readonly itemSeparator?: string;
  readonly valueFrom?: string;
  readonly shellQuote?: boolean;
}

export interface OutputBinding {
  readonly glob?: readonly string[];
  readonly loadContents?: boolean;
  readonly loadListing?: LoadListing;
  readonly outputEval?: string;
}

/** The alternatives of a type: itself, unless it is a union. */
export function alternatives(type: CwlType): readonly CwlType[] {
  return typeof type === 'object' && type.type === 'union' ? type.of : [type];
}

/** A union of types, flat and without repetition; a single alternative stands for itself. */
export function unionOf(types: readonly CwlType[]): CwlType {
  const flat: CwlType[] = [];
  for (const one of types.flatMap(alternatives)) {
    if (typeof one === 'string' && flat.includes(one)) continue;
    flat.push(one);
  }
  return flat.length === 1 ? flat[0]! : { type: 'union', of: flat };
}

export function acceptsNull(type: CwlType): boolean {
  return alternatives(type).includes('null');
}

/** A type as a person would write it: `File[]?`, `a record {…}`, `one of a | b`. */
export function describeType(type: CwlType): string {
  if (typeof type === 'string') return type;
  if (type.type === 'array') {
    const items = describeType(type.items);
    return /[ |]/.test(items) ? `(${items})[]` : `${items}[]`;
  }
  if (type.type === 'enum') return `enum ${type.symbols.join('|')}`;
  if (type.type === 'record')
    return `record {${type.fields.map((field) => `${field.name}: ${describeType(field.type)}`).join(', ')}}`;
  const others = type.of.filter((one) => one !== 'null').map(describeType);
  const text = others.length === 1 ? others[0]! : others.join(' | ');
  if (others.length === type.of.length) return text;
  return others.length === 1 && !/ /.test(text) ? `${text}?` : `null | ${text}`;
}

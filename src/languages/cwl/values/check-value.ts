// Whether a value is of a type, and if not, in which part.
import { isList, isObject, type Json } from '../../../core/json.ts';
import { alternatives, type CwlType, describeType, type RecordType } from '../model/cwl-type.ts';
import { isDirectory, isFile } from './file-object.ts';

export interface Misfit {
  /** Where inside the value, such as `.name[2]`; empty for the value itself. */
  readonly path: string;
  readonly wanted: string;
  readonly found: string;
}

/** Undefined when the output is of the type: an output of type Any may be null. */
export function checkOutput(value: Json, type: CwlType): Misfit | undefined {
  return value === null && alternatives(type).includes('Any') ? undefined : checkValue(value, type);
}

/** Undefined when the value is of the type, else the first part that is not. */
export function checkValue(value: Json, type: CwlType): Misfit | undefined {
  const choices = alternatives(type);
  let nearest: Misfit | undefined;
  for (const choice of choices) {
    const misfit = checkOne(value, choice);
    if (misfit === undefined) return undefined;
    if (nearest === undefined || misfit.path.length > nearest.path.length) nearest = misfit;
  }
  if (nearest !== undefined && nearest.path !== '') return nearest;
  return { path: '', wanted: describeType(type), found: describeValue(value) };
}

function checkOne(value: Json, type: CwlType): Misfit | undefined {
  if (typeof type === 'string') return accepts(type, value) ? undefined : misfit(value, type);
  if (type.type === 'enum')
    return typeof value === 'string' && type.symbols.includes(value) ? undefined : misfit(value, type);
  if (type.type === 'array') {
    if (!isList(value)) return misfit(value, type);
    for (const [index, item] of value.entries()) {
      const inner = checkValue(item, type.items);
      if (inner !== undefined) return { ...inner, path: `[${index}]${inner.path}` };
    }
    return undefined;
  }
  if (type.type === 'record') return checkRecord(value, type);
  return checkValue(value, type);
}

function checkRecord(value: Json, type: RecordType): Misfit | undefined {
  if (!isObject(value)) return misfit(value, type);
  for (const field of type.fields) {
    const inner = checkValue(value[field.name] ?? null, field.type);
    if (inner !== undefined) return { ...inner, path: `.${field.name}${inner.path}` };
  }
  return undefined;
}

function accepts(type: string, value: Json): boolean {
  switch (type) {
    case 'null':
      return value === null;
    case 'boolean':
      return typeof value === 'boolean';
    case 'int':
      return Number.isInteger(value) && (value as number) >= -(2 ** 31) && (value as number) < 2 ** 31;
    case 'long':
      return Number.isSafeInteger(value);
    case 'float':
    case 'double':
      return typeof value === 'number';
    case 'string':
      return typeof value === 'string';
    case 'File':
      return isFile(value);
    case 'Directory':
      return isDirectory(value);
    default:
      return value !== null;
  }
}

function misfit(value: Json, type: CwlType): Misfit {
  return { path: '', wanted: describeType(type), found: describeValue(value) };
}

/** A value in a few words, for messages. */
export function describeValue(value: Json): string {
  if (isFile(value)) return 'a File';
  if (isDirectory(value)) return 'a Directory';
  if (isList(value)) return `a list of ${value.length}`;
  if (isObject(value)) return `an object with ${Object.keys(value).slice(0, 5).join(', ') || 'no fields'}`;
  const text = JSON.stringify(value);
  return text.length <= 60 ? text : `${text.slice(0, 59)}…`;
}

/** The record alternative that a value is of, if any. */
export function recordFor(value: Json, type: CwlType): RecordType | undefined {
  if (!isObject(value)) return undefined;
  const records = alternatives(type).filter((one) => typeof one === 'object' && one.type === 'record');
  return (records.find((one) => checkOne(value, one) === undefined) ?? records[0]) as RecordType | undefined;
}

/** The item type of the array alternatives of a type. */
export function itemsOf(type: CwlType): CwlType | undefined {
  for (const one of alternatives(type)) if (typeof one === 'object' && one.type === 'array') return one.items;
  return undefined;
}

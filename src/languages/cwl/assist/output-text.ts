// The output object as text: JSON in which numbers are written as decimals, however large or small.
import { isList, isObject, type Json } from '../../../core/json.ts';
import { decimalText } from '../expressions/number-text.ts';

/** Indented JSON of an output object. */
export function outputText(value: Json, indent = ''): string {
  const inner = `${indent}    `;
  if (typeof value === 'number') return decimalText(value);
  if (isList(value)) {
    if (value.length === 0) return '[]';
    return `[\n${value.map((one) => inner + outputText(one, inner)).join(',\n')}\n${indent}]`;
  }
  if (!isObject(value)) return JSON.stringify(value);
  const members = Object.entries(value).map(
    ([key, one]) => `${inner}${JSON.stringify(key)}: ${outputText(one, inner)}`,
  );
  return members.length === 0 ? '{}' : `{\n${members.join(',\n')}\n${indent}}`;
}

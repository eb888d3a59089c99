// Checks a value against a shape of the field table and notes every difference. It recurses only along the table, whose
// depth is fixed, never along the document.
import { isList, isObject, type Json } from '../../core/json.ts';
import { languageErrors, quote } from './error-codes.ts';
import { actionIdRule, type Field, type FieldTable, idForm, type Shape, shapeWords } from './field-shape.ts';
import { hintFromNames } from './nearest-name.ts';
import type { DocumentPath, Problems } from './problems.ts';
import { durationForm, parseDuration, parseSize, sizeForm } from './units.ts';

/** Notes what is wrong with `value`; returns false if anything is. */
export function checkShape(
  shape: Shape,
  value: Json,
  path: DocumentPath | undefined,
  problems: Problems,
): boolean {
  switch (shape.is) {
    case 'any':
      return true;
    case 'string':
      if (typeof value !== 'string') return wrongType(shape, value, path, problems);
      if (value.includes('\0')) return wrongValue('a string without NUL characters', value, path, problems);
      return value !== '' || shape.empty === true || wrongValue(shapeWords(shape), value, path, problems);
    case 'boolean':
      return typeof value === 'boolean' || wrongType(shape, value, path, problems);
    case 'integer':
    case 'number':
      return checkNumber(shape, value, path, problems);
    case 'choice':
      if (typeof value !== 'string') return wrongType(shape, value, path, problems);
      return shape.of.includes(value) || wrongValue(shapeWords(shape), value, path, problems, shape.of);
    case 'duration':
    case 'size':
      return checkUnit(shape, value, path, problems);
    case 'id':
      return checkId(value, path, problems);
    case 'name':
      return checkName(shape, value, path, problems);
    case 'inner path':
      return checkInnerPath(shape, value, path, problems);
    case 'list':
      return checkList(shape, value, path, problems);
    case 'map':
      return checkMap(shape, value, path, problems);
    case 'object':
      if (!isObject(value)) return wrongType(shape, value, path, problems);
      return checkFields(shape.fields, value, path, problems);
    case 'one of':
      return checkAlternatives(shape, value, path, problems);
  }
}

const requiredOf = new WeakMap<FieldTable, readonly string[]>();

/** Notes unknown, missing and wrong fields of an object; returns false if there are any. */
export function checkFields(
  fields: FieldTable,
  value: { readonly [key: string]: Json },
  path: DocumentPath | undefined,
  problems: Problems,
): boolean {
  let right = true;
  for (const key in value) {
    const field: Field | undefined = Object.hasOwn(fields, key) ? fields[key] : undefined;
    if (field !== undefined && isPlainlyRight(field.shape, value[key]!)) continue;
    const inner = { parent: path, key };
    if (field === undefined) {
      const hint = hintFromNames(key, Object.keys(fields), 'fields');
      problems.add(inner, 'key', (place) =>
        languageErrors.FIELD_UNKNOWN.with({ place, hint }, key, problems.where(path)),
      );
      right = false;
    } else if (!checkShape(field.shape, value[key]!, inner, problems)) right = false;
  }
  let required = requiredOf.get(fields);
  if (required === undefined)
    requiredOf.set(fields, (required = Object.keys(fields).filter((key) => fields[key]!.required)));
  for (const key of required) {
    if (value[key] !== undefined) continue;
    problems.add(path, 'value', (place) =>
      languageErrors.FIELD_MISSING.with({ place, hint: fields[key]!.description }, key, problems.where(path)),
    );
    right = false;
  }
  return right;
}

/** The most frequent values of large documents, recognised without a note of where they stand. */
function isPlainlyRight(shape: Shape, value: Json): boolean {
  if (typeof value === 'string') {
    const text = shape.is === 'one of' ? shape.of[0]! : shape;
    return text.is === 'string' && value !== '' && !value.includes('\0');
  }
  return shape.is === 'id' && typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

function checkNumber(
  shape: Extract<Shape, { is: 'integer' | 'number' }>,
  value: Json,
  path: DocumentPath | undefined,
  problems: Problems,
): boolean {
  if (typeof value !== 'number') return wrongType(shape, value, path, problems);
  const fits =
    Number.isFinite(value) &&
    (shape.is === 'number' || Number.isSafeInteger(value)) &&
    value >= (shape.least ?? -Infinity) &&
    value <= (shape.most ?? Infinity) &&
    value > (shape.above ?? -Infinity);
  return fits || wrongValue(shapeWords(shape), value, path, problems);
}

function checkUnit(
  shape: Extract<Shape, { is: 'duration' | 'size' }>,
  value: Json,
  path: DocumentPath | undefined,
  problems: Problems,
): boolean {
  const form = shape.is === 'duration' ? durationForm : sizeForm;
  if (typeof value !== 'string' && typeof value !== 'number')
    return wrongType(shape, value, path, problems, form);
  const parsed = shape.is === 'duration' ? parseDuration(value) : parseSize(value);
  if (parsed !== undefined) return true;
  problems.add(path, 'value', (place) =>
    languageErrors.UNIT_INVALID.with({ place }, problems.where(path), String(value), form),
  );
  return false;
}

function checkId(value: Json, path: DocumentPath | undefined, problems: Problems): boolean {
  if (typeof value === 'number') {
    if (Number.isSafeInteger(value) && value >= 0) return true;
    return wrongValue('an integer of at least 0, or a string', value, path, problems);
  }
  if (typeof value !== 'string') return wrongType({ is: 'id' }, value, path, problems, idForm);
  if (actionIdRule.pattern.test(value)) return true;
  problems.add(path, 'value', (place) =>
    languageErrors.NAME_INVALID.with({ place }, problems.where(path), value, actionIdRule.words),
  );
  return false;
}

function checkName(
  shape: Extract<Shape, { is: 'name' }>,
  value: Json,
  path: DocumentPath | undefined,
  problems: Problems,
): boolean {
  if (typeof value !== 'string') return wrongType(shape, value, path, problems);
  if (shape.rule.pattern.test(value)) return true;
  problems.add(path, 'value', (place) =>
    languageErrors.NAME_INVALID.with({ place }, problems.where(path), value, shape.rule.words),
  );
  return false;
}

function checkInnerPath(
  shape: Shape,
  value: Json,
  path: DocumentPath | undefined,
  problems: Problems,
): boolean {
  if (typeof value !== 'string') return wrongType(shape, value, path, problems);
  return isInnerPath(value) || wrongValue(shapeWords(shape), value, path, problems);
}

/** True for a relative path that cannot leave the directory it is relative to. */
export function isInnerPath(path: string): boolean {
  return path !== '' && !path.startsWith('/') && !path.includes('\0') && !path.split('/').includes('..');
}

function checkList(
  shape: Extract<Shape, { is: 'list' }>,
  value: Json,
  path: DocumentPath | undefined,
  problems: Problems,
): boolean {
  if (!isList(value)) return wrongType(shape, value, path, problems, 'a list');
  if (value.length < (shape.least ?? 0))
    return wrongValue(`a list of at least ${shape.least}`, value, path, problems);
  let right = true;
  for (let index = 0; index < value.length; index += 1)
    if (!checkShape(shape.of, value[index]!, { parent: path, key: index }, problems)) right = false;
  return right;
}

function checkMap(
  shape: Extract<Shape, { is: 'map' }>,
  value: Json,
  path: DocumentPath | undefined,
  problems: Problems,
): boolean {
  if (!isObject(value)) return wrongType(shape, value, path, problems);
  let right = true;
  for (const key of Object.keys(value)) {
    const inner = { parent: path, key };
    if (!shape.names.pattern.test(key)) {
      problems.add(inner, 'key', (place) =>
        languageErrors.NAME_INVALID.with({ place }, problems.where(path), key, shape.names.words),
      );
      right = false;
    }
    if (!checkShape(shape.of, value[key]!, inner, problems)) right = false;
  }
  return right;
}

function checkAlternatives(
  shape: Extract<Shape, { is: 'one of' }>,
  value: Json,
  path: DocumentPath | undefined,
  problems: Problems,
): boolean {
  const chosen = shape.of.find((alternative) => resembles(alternative, value));
  if (chosen !== undefined) return checkShape(chosen, value, path, problems);
  return wrongType(shape, value, path, problems);
}

/** Whether a value is meant as this alternative: by its type, and for objects by the first required field. */
function resembles(shape: Shape, value: Json): boolean {
  switch (shape.is) {
    case 'list':
      return isList(value);
    case 'object': {
      const mark = Object.keys(shape.fields).find((key) => shape.fields[key]!.required);
      return isObject(value) && (mark === undefined || Object.hasOwn(value, mark));
    }
    case 'id':
      return typeof value === 'string' || typeof value === 'number';
    case 'integer':
    case 'number':
      return typeof value === 'number';
    case 'boolean':
      return typeof value === 'boolean';
    default:
      return typeof value === 'string';
  }
}

/** A value in words, short enough for a message. */
export function valueWords(value: Json): string {
  if (value === null) return 'nothing (null)';
  if (isList(value)) return value.length === 0 ? 'an empty list' : 'a list';
  if (typeof value === 'object') {
    const keys = Object.keys(value);
    return keys.length === 0 ? 'an empty object' : `an object with ${quote(keys.slice(0, 5).join(', '))}`;
  }
  return typeof value === 'string' ? `the string ${quote(value)}` : String(value);
}

function wrongType(
  shape: Shape,
  value: Json,
  path: DocumentPath | undefined,
  problems: Problems,
  wanted: string = shapeWords(shape),
): false {
  problems.add(path, 'value', (place) =>
    languageErrors.FIELD_TYPE.with({ place }, problems.where(path), wanted, valueWords(value)),
  );
  return false;
}

function wrongValue(
  wanted: string,
  value: Json,
  path: DocumentPath | undefined,
  problems: Problems,
  choices?: readonly string[],
): false {
  const hint = choices && typeof value === 'string' ? hintFromNames(value, choices, 'choices') : undefined;
  problems.add(path, 'value', (place) =>
    languageErrors.FIELD_VALUE.with({ place, hint }, problems.where(path), wanted, valueWords(value)),
  );
  return false;
}

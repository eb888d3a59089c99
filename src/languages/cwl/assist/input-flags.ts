// Inputs of a process as command line flags: `--reads a.fq --reads b.fq --threads 4 --verbose --pair.left x`. The declared types say
// how each value is read.
import { resolve } from 'node:path';
import { isObject, type Json, type JsonObject } from '../../../core/json.ts';
import { cwlErrors } from '../error-codes.ts';
import { nameHint } from '../load/problems.ts';
import { isAbsoluteUrl, urlOfPath } from '../load/uri.ts';
import { alternatives, type CwlType, describeType, type RecordType } from '../model/cwl-type.ts';
import type { Process } from '../model/process.ts';

export interface InputFlags {
  readonly job: JsonObject;
  /** True when `--help` was among the flags. */
  readonly help: boolean;
  /** A word that is no flag and no value of one: the input object to begin with. */
  readonly jobFile?: string | undefined;
}

/** Reads flags; paths are relative to `directory`. */
export function parseInputFlags(
  process: Pick<Process, 'inputs'>,
  args: readonly string[],
  directory: string,
): InputFlags {
  const job: Record<string, Json> = {};
  let help = false;
  let jobFile: string | undefined;
  for (let at = 0; at < args.length; at += 1) {
    const arg = args[at]!;
    if (arg === '--help' || arg === '-h') {
      help = true;
      continue;
    }
    const match = /^--([^=]+)(?:=(.*))?$/s.exec(arg);
    if (match === null && jobFile === undefined && !arg.startsWith('-')) {
      jobFile = arg;
      continue;
    }
    if (match === null)
      throw cwlErrors.CWL_ARGUMENT(`"${arg}" is not a flag; inputs are given as --name value`);
    const { path, type, negated } = findInput(process, match[1]!);
    const takesValue = !isFlag(type);
    let text = match[2];
    if (text === undefined && takesValue) {
      at += 1;
      text = args[at];
      if (text === undefined)
        throw cwlErrors.CWL_ARGUMENT(`--${match[1]} needs a value (${describeType(type)})`);
    }
    store(
      job,
      path,
      takesValue
        ? readValue(text!, type, match[1]!, directory)
        : text === undefined
          ? !negated
          : text === 'true',
      type,
    );
  }
  return { job, help, jobFile };
}

interface FoundInput {
  readonly path: readonly string[];
  readonly type: CwlType;
  readonly negated: boolean;
}

function findInput(process: Pick<Process, 'inputs'>, name: string): FoundInput {
  const direct = process.inputs.find((input) => input.name === name);
  if (direct !== undefined) return { path: [name], type: direct.type, negated: false };
  const positive = name.startsWith('no-')
    ? process.inputs.find((input) => input.name === name.slice(3))
    : undefined;
  if (positive !== undefined && isFlag(positive.type))
    return { path: [positive.name], type: positive.type, negated: true };
  const [first, ...fields] = name.split('.');
  const input = process.inputs.find((one) => one.name === first);
  let type = input?.type;
  for (const field of fields)
    type = type === undefined ? undefined : recordOf(type)?.fields.find((one) => one.name === field)?.type;
  if (type !== undefined) return { path: [first!, ...fields], type, negated: false };
  const hint = nameHint(
    name,
    process.inputs.map((one) => one.name),
  );
  throw cwlErrors.CWL_ARGUMENT.with({ hint }, `there is no input "${name}"`);
}

function recordOf(type: CwlType): RecordType | undefined {
  return alternatives(type).find(
    (one): one is RecordType => typeof one === 'object' && one.type === 'record',
  );
}

function isFlag(type: CwlType): boolean {
  const choices = alternatives(type).filter((one) => one !== 'null');
  return choices.length === 1 && choices[0] === 'boolean';
}

function store(job: Record<string, Json>, path: readonly string[], value: Json, type: CwlType): void {
  let object = job;
  for (const name of path.slice(0, -1)) {
    const inner = object[name];
    object = (object[name] = { ...(isObject(inner) ? inner : {}) }) as Record<string, Json>;
  }
  const last = path.at(-1)!;
  const isArray = alternatives(type).some((one) => typeof one === 'object' && one.type === 'array');
  const before = object[last];
  if (isArray && before !== undefined) object[last] = [...(before as Json[]), ...(value as Json[])];
  else object[last] = value;
}

/** A text as a value of the first alternative that can be read from it. */
function readValue(text: string, type: CwlType, name: string, directory: string): Json {
  for (const choice of alternatives(type)) {
    const value = readOne(text, choice, name, directory);
    if (value !== undefined) return value;
  }
  throw cwlErrors.CWL_ARGUMENT(`--${name}: "${text}" is not ${describeType(type)}`);
}

function readOne(text: string, type: CwlType, name: string, directory: string): Json | undefined {
  if (typeof type === 'object') {
    if (type.type === 'enum') return type.symbols.includes(text) ? text : undefined;
    if (type.type === 'array') return [readValue(text, type.items, name, directory)];
    return type.type === 'record' ? parsedJson(text) : undefined;
  }
  switch (type) {
    case 'File':
    case 'Directory':
      return { class: type, location: isAbsoluteUrl(text) ? text : urlOfPath(resolve(directory, text)) };
    case 'string':
      return text;
    case 'int':
    case 'long':
      return /^[+-]?\d+$/.test(text) ? Number(text) : undefined;
    case 'float':
    case 'double':
      return text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : undefined;
    case 'boolean':
      return text === 'true' ? true : text === 'false' ? false : undefined;
    case 'Any':
      return parsedJson(text) ?? text;
    default:
      return undefined;
  }
}

function parsedJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

// Reads varve.yaml into settings with their places. Everything that is wrong with the file's form is collected, not thrown.
import { readFile, stat } from 'node:fs/promises';
import type { Node, Pair, YAMLMap } from 'yaml';
import { didYouMean } from '../core/closest.ts';
import type { SourcePlace, VarveError } from '../core/errors.ts';
import { type ConfigKey, configKeyNames, environmentName, keySpec } from './config-keys.ts';
import { configErrors } from './error-codes.ts';
import type { RawValue } from './value-types.ts';

export interface FileSetting {
  readonly key: ConfigKey;
  readonly value: RawValue;
  readonly place: SourcePlace;
}

export interface ConfigFile {
  readonly settings: readonly FileSetting[];
  readonly problems: readonly VarveError[];
}

const maxFileBytes = 1_000_000;

/** The settings of a file, or undefined when there is none. */
export async function readConfigFile(path: string): Promise<ConfigFile | undefined> {
  let text: string;
  try {
    const { size } = await stat(path);
    if (size > maxFileBytes) throw new Error(`it has ${size} bytes`);
    text = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw configErrors.CONFIG_FILE_UNREADABLE.with({ cause: error }, path, (error as Error).message);
  }
  return parseConfigFile(path, text);
}

/** The settings in a file's text. */
export async function parseConfigFile(file: string, text: string): Promise<ConfigFile> {
  const { LineCounter, isAlias, isMap, isScalar, isSeq, parseDocument } = await import('yaml');
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, version: '1.2' });
  const settings: FileSetting[] = [];
  const problems: VarveError[] = [];

  const placeAt = (offset: number): SourcePlace => {
    const { line, col } = lines.linePos(offset);
    return { file, line, column: col };
  };
  const placeOf = (node: unknown): SourcePlace => placeAt((node as Node).range?.[0] ?? 0);
  const syntax = (place: SourcePlace, reason: string): void => {
    problems.push(configErrors.CONFIG_SYNTAX.with({ place }, reason));
  };

  /** The texts of a scalar or of a list of scalars; undefined when it is neither, null when it is empty. */
  const rawValue = (node: unknown): RawValue | null | undefined => {
    if (node === null) return null;
    if (isScalar(node)) return node.value === null ? null : String(node.source ?? node.value);
    if (!isSeq(node) || !node.items.every((item) => isScalar(item))) return undefined;
    return node.items.map((item) => String(item.source ?? item.value));
  };

  const visit = (map: YAMLMap, prefix: string): void => {
    for (const pair of map.items as Pair<unknown, unknown>[]) {
      const place = placeOf(pair.key);
      const key = `${prefix}${isScalar(pair.key) ? String(pair.key.value) : '?'}`;
      if (isAlias(pair.value)) syntax(place, `${key}: aliases are not allowed here; write the value out`);
      else if (isKey(key)) set(key, pair.value, place);
      else if (prefix === '' && isSection(key)) section(key, pair.value, place);
      else
        problems.push(configErrors.CONFIG_UNKNOWN_KEY.with({ place, ...hint(key, isMap(pair.value)) }, key));
    }
  };

  const section = (name: string, value: unknown, place: SourcePlace): void => {
    if (isMap(value)) visit(value, `${name}.`);
    else if (rawValue(value) !== null)
      syntax(place, `${name} is a section: write its keys below it, indented`);
  };

  const set = (key: ConfigKey, node: unknown, place: SourcePlace): void => {
    const value = rawValue(node);
    if (keySpec(key).outsideFile) {
      problems.push(configErrors.CONFIG_MISPLACED_KEY.with({ place }, key, environmentName(key)));
    } else if (value === undefined) syntax(place, `${key}: expected a single value`);
    else if (value !== null) settings.push({ key, value, place: placeOf(node) });
  };

  for (const error of document.errors) {
    syntax(placeAt(error.pos[0]), error.message.split('\n')[0]!);
  }
  const root = document.contents;
  if (isMap(root)) visit(root, '');
  else if (root !== null && problems.length === 0) {
    syntax(placeOf(root), 'the file must hold sections such as store: and storage:');
  }
  return { settings, problems };
}

function isKey(name: string): name is ConfigKey {
  return (configKeyNames as readonly string[]).includes(name);
}

function isSection(name: string): boolean {
  return configKeyNames.some((key) => key.startsWith(`${name}.`));
}

function hint(key: string, isMapping: boolean): { hint?: string } {
  const sections = configKeyNames.map((name) => name.split('.')[0]!);
  const text = didYouMean(key, isMapping ? sections : configKeyNames);
  return text === undefined ? {} : { hint: text };
}

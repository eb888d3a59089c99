// Looking into the datasets of parents: which files an input means, and what a small file says.
import { glob, lstat, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isList, isObject, type Json } from '../../core/json.ts';
import type { InputDataset } from '../../core/ports/action-type.ts';
import { languageErrors } from './error-codes.ts';
import type { DatasetView } from './input-spec.ts';
import { isGlob } from './lower-inputs.ts';

/** One file (or directory) of a dataset; `relative` is undefined for the whole dataset. */
export interface DatasetFile {
  readonly dataset: InputDataset;
  readonly relative: string | undefined;
  readonly path: string;
}

/** The value that a `command-line` action attaches to its dataset. */
export type CommandValue = {
  readonly outputs: Readonly<Record<string, string | readonly string[]>>;
  readonly exitCode: number;
};

/** The files that an input means, dataset by dataset, names in the order of their code units. */
export async function datasetFiles(
  input: string,
  view: DatasetView,
  datasets: readonly InputDataset[],
): Promise<DatasetFile[]> {
  const files: DatasetFile[] = [];
  for (const dataset of datasets) {
    const names = await viewedNames(input, view, dataset);
    if (names === undefined) files.push({ dataset, relative: undefined, path: dataset.path });
    else for (const name of names) files.push({ dataset, relative: name, path: join(dataset.path, name) });
  }
  return files;
}

async function viewedNames(
  input: string,
  view: DatasetView,
  dataset: InputDataset,
): Promise<readonly string[] | undefined> {
  if (view.path !== undefined) return [view.path];
  if (view.files !== undefined) {
    const several = isGlob(view.files);
    const names = await matchPaths(dataset.path, view.files, several, true);
    if (names.length > 0 || several) return names;
    throw languageErrors.INPUT_VALUE(input, `the dataset of the parent has no file ${view.files}`);
  }
  if (view.output === undefined) return undefined;
  const outputs = isObject(dataset.value) ? dataset.value.outputs : undefined;
  const found = isObject(outputs) && Object.hasOwn(outputs, view.output) ? outputs[view.output] : undefined;
  if (isList(found)) return found.map((one) => outputPath(input, view.output!, one));
  if (found !== undefined && found !== null) return [outputPath(input, view.output, found)];
  throw languageErrors.INPUT_VALUE(
    input,
    `the dataset of the parent has no output ${JSON.stringify(view.output)}`,
  );
}

/** Where an output lies in its dataset: a path, or the File or Directory object of a tool. */
function outputPath(input: string, output: string, value: Json): string {
  if (typeof value === 'string') return value;
  if (isObject(value) && typeof value.location === 'string') return decodeURIComponent(value.location);
  throw languageErrors.INPUT_VALUE(input, `the output ${JSON.stringify(output)} of the parent is no file`);
}

/** Relative paths below a directory that a path, or a glob, matches, sorted; files only if so wanted. */
export async function matchPaths(
  directory: string,
  pattern: string,
  isPattern: boolean,
  filesOnly: boolean,
): Promise<string[]> {
  if (!isPattern) {
    const facts = await (filesOnly ? stat : lstat)(join(directory, pattern)).catch(() => undefined);
    return facts !== undefined && (!filesOnly || facts.isFile()) ? [pattern] : [];
  }
  const found: string[] = [];
  for await (const entry of glob(pattern, { cwd: directory, withFileTypes: true })) {
    if (filesOnly && entry.isDirectory()) continue;
    found.push(join(entry.parentPath, entry.name).slice(directory.length + 1));
  }
  return found.filter((name) => name !== '').sort();
}

const valueLimitBytes = 64 * 1024;
export const listLimitBytes = 16 * 1024 * 1024;

/** The value that an input with `as` reads; null for an optional parent that was skipped. */
export async function readValue(
  input: string,
  view: DatasetView,
  datasets: readonly InputDataset[],
  limitBytes: number = valueLimitBytes,
): Promise<Json> {
  if (datasets.length === 0) return view.many ? [] : null;
  const files = await datasetFiles(input, view, datasets);
  const values: Json[] = [];
  for (const file of files) values.push(await readOne(input, view, file.path, limitBytes));
  if (view.as === 'lines') return values.flatMap((lines) => lines as string[]);
  if (view.many) return values;
  if (values.length === 1) return values[0]!;
  throw languageErrors.INPUT_VALUE(input, `${values.length} files match, one is needed`);
}

async function readOne(input: string, view: DatasetView, path: string, limitBytes: number): Promise<Json> {
  const facts = await stat(path).catch(() => undefined);
  if (!facts?.isFile()) throw languageErrors.INPUT_VALUE(input, `${path} is no file`);
  if (facts.size > limitBytes)
    throw languageErrors.INPUT_VALUE(
      input,
      `${path} has ${facts.size} bytes, more than the ${limitBytes} that are read`,
    );
  const text = await readFile(path, 'utf8');
  if (text.includes('\0')) throw languageErrors.INPUT_VALUE(input, `${path} is not text`);
  switch (view.as) {
    case 'lines':
      return linesOf(text);
    case 'number': {
      const number = text.trim() === '' ? Number.NaN : Number(text);
      if (Number.isFinite(number)) return number;
      throw languageErrors.INPUT_VALUE(input, `${path} does not contain a number`);
    }
    case 'json':
      try {
        return JSON.parse(text) as Json;
      } catch {
        throw languageErrors.INPUT_VALUE(input, `${path} does not contain JSON`);
      }
    default:
      return text.replace(/\r?\n$/, '');
  }
}

function linesOf(text: string): string[] {
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

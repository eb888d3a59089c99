// The inputs of an action about to run: each becomes a text for its environment variable and a list of words for spread
// references. Only inputs that stand for several files, and program files, touch the disk beyond one `stat` a file.
import { mkdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { canonical, isList, type Json } from '../../core/json.ts';
import type { InputDataset } from '../../core/ports/action-type.ts';
import type { ParentLink } from '../../core/workflow.ts';
import type { CommandSpec } from './command-spec.ts';
import { datasetFiles, readValue } from './dataset-files.ts';
import { languageErrors } from './error-codes.ts';
import { linkAll, linkOne } from './input-links.ts';
import type { DatasetView, FileSpec, InputSpec } from './input-spec.ts';

export interface InputValue {
  readonly text: string;
  readonly words: readonly string[];
}

export interface ResolvedInputs {
  readonly values: ReadonlyMap<string, InputValue>;
  /** Files and directories outside the attempt that the command may read. */
  readonly places: readonly string[];
}

/** Folder of links, inside the working directory. */
const linkFolder = '.inputs';

/** Makes every input ready for the command; may be repeated. */
export async function resolveInputs(
  spec: CommandSpec,
  parents: readonly ParentLink[],
  inputs: readonly InputDataset[],
  work: string,
): Promise<ResolvedInputs> {
  const values = new Map<string, InputValue>();
  const places = inputs.map((input) => input.path);
  for (const [name, input] of Object.entries(spec.inputs ?? {})) {
    if ('dataset' in input) {
      const folder = join(work, linkFolder, name);
      values.set(name, await datasetValue(name, input.dataset, datasetsOf(name, inputs), folder));
    } else values.set(name, await givenInput(input, places, join(work, linkFolder, name)));
  }
  for (const { slot } of parents) {
    if (values.has(slot)) continue;
    const path = inputs.find((input) => input.slot === slot)?.path;
    values.set(slot, path === undefined ? nothing : { text: path, words: [path] });
  }
  return { values, places };
}

const nothing: InputValue = { text: '', words: [] };

/** The datasets of one slot in their order. */
export function datasetsOf(slot: string, inputs: readonly InputDataset[]): readonly InputDataset[] {
  return inputs
    .filter((input) => input.slot === slot)
    .sort((a, b) => (a.position < b.position ? -1 : a.position > b.position ? 1 : 0));
}

async function datasetValue(
  name: string,
  view: DatasetView,
  datasets: readonly InputDataset[],
  folder: string,
): Promise<InputValue> {
  if (view.as !== undefined) return inputValue(await readValue(name, view, datasets));
  const files = await datasetFiles(name, view, datasets);
  const words = files.map((file) => file.path);
  if (view.many) return { text: await linkAll(folder, words, files[0]?.relative !== undefined), words };
  if (words.length > 1) throw languageErrors.INPUT_VALUE(name, `${words.length} files, one is needed`);
  return words[0] === undefined ? nothing : { text: words[0], words };
}

type GivenSpec = Exclude<InputSpec, { dataset: DatasetView }>;

async function givenInput(input: GivenSpec, places: string[], folder: string): Promise<InputValue> {
  if ('value' in input) return inputValue(input.value);
  if ('list' in input) {
    const words: string[] = [];
    for (const [index, item] of input.list.entries())
      words.push((await givenInput(item as GivenSpec, places, join(folder, String(index)))).text);
    return { text: words.join('\n'), words };
  }
  const file = 'file' in input ? input.file : input.directory;
  await checkUnchanged(file, 'file' in input);
  places.push(file.path);
  const path = basename(file.path) === file.name ? file.path : await linkNamed(file, folder);
  return { text: path, words: [path] };
}

/** A download is kept under another name than the one by which the command knows it. */
async function linkNamed(file: FileSpec, folder: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  const path = join(folder, file.name);
  await linkOne(file.path, path);
  return path;
}

/** A file that changed after its digest was taken would give a dataset under a false name (I10). */
export async function checkUnchanged(file: FileSpec, regular: boolean): Promise<void> {
  const facts = await stat(file.path).catch(() => undefined);
  const same =
    facts !== undefined &&
    facts.isFile() === regular &&
    (!regular || (facts.size === file.sizeBytes && facts.mtimeMs === file.modifiedAtMs));
  if (!same) throw languageErrors.INPUT_CHANGED(file.path);
}

function inputValue(value: Json): InputValue {
  if (value === null) return nothing;
  if (isList(value)) {
    const words = value.map(textOf);
    return { text: words.join('\n'), words };
  }
  const text = textOf(value);
  return { text, words: [text] };
}

function textOf(value: Json): string {
  return typeof value === 'object' ? canonical(value) : String(value);
}

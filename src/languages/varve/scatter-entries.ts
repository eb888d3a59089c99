// The entries of a list over which an action is scattered: given values and files, lines or JSON of a parent's file, files of
// a parent's dataset, or the datasets of a parent that was scattered itself.
import { basename } from 'node:path';
import { isList, type JsonObject } from '../../core/json.ts';
import type { InputDataset } from '../../core/ports/action-type.ts';
import type { NodeDefinition, ParentLink } from '../../core/workflow.ts';
import { datasetsOf } from './command-inputs.ts';
import type { ExpandSpec } from './command-spec.ts';
import { type DatasetFile, datasetFiles, listLimitBytes, readValue } from './dataset-files.ts';
import { fileSha256 } from './digest-files.ts';
import { languageErrors } from './error-codes.ts';
import { type DatasetView, type InputSpec, inputIdentity } from './input-spec.ts';

export interface ScatterEntry {
  /** How an element finds its entry, and what of it is identity; undefined for a whole dataset. */
  readonly spec?: InputSpec;
  readonly identity?: JsonObject;
  /** The dataset from which the entry comes, if its files are needed. */
  readonly parent?: ParentLink;
}

/** More elements than these are a mistake in the list rather than a workflow. */
const mostEntries = 1_000_000;
/** Files that are hashed at the same time. */
const together = 8;

/** The entries in order; throws when the list cannot be had. */
export async function scatterEntries(
  node: NodeDefinition,
  scatter: NonNullable<ExpandSpec['scatter']>,
  inputs: readonly InputDataset[],
): Promise<readonly ScatterEntry[]> {
  const { input } = scatter;
  if ('value' in input) {
    if (isList(input.value)) return input.value.map((value) => givenEntry({ value }));
    throw languageErrors.SCATTER_VALUE(node.key, `the input ${scatter.over} is not a list`);
  }
  if ('list' in input) return input.list.map(givenEntry);
  if (!('dataset' in input))
    throw languageErrors.SCATTER_VALUE(node.key, `the input ${scatter.over} is not a list`);
  const view = input.dataset;
  const datasets = datasetsOf(scatter.over, inputs);
  if (view.as !== undefined) return readEntries(node, scatter.over, view, datasets);
  const files = await datasetFiles(scatter.over, view, datasets);
  checkCount(node, files.length);
  const link = linkOf(node, scatter, datasets);
  return mapTogether(files, (file) => fileEntry(file, link(file.dataset)));
}

function givenEntry(spec: InputSpec): ScatterEntry {
  return { spec, identity: inputIdentity(spec) };
}

/** Values read from a parent enter identity by themselves: the element does not need the parent any more. */
async function readEntries(
  node: NodeDefinition,
  name: string,
  view: DatasetView,
  datasets: readonly InputDataset[],
): Promise<readonly ScatterEntry[]> {
  const list = await readValue(name, view, datasets, listLimitBytes);
  if (!isList(list)) throw languageErrors.SCATTER_VALUE(node.key, `the value of ${name} is not a list`);
  checkCount(node, list.length);
  return list.map((value) => givenEntry({ value }));
}

/** A file of a dataset is identified by name and content, so that an element outlives changes to its neighbours. */
async function fileEntry(file: DatasetFile, parent: ParentLink): Promise<ScatterEntry> {
  if (file.relative === undefined) return { parent };
  const sha256 = await fileSha256(file.path).catch(() => undefined);
  const spec: InputSpec = { dataset: { path: file.relative } };
  if (sha256 === undefined) return { spec, identity: spec as unknown as JsonObject, parent };
  const identity = { file: { name: basename(file.relative), sha256 } };
  return { spec, identity, parent: { ...parent, signed: false } };
}

/** An element waits for the very dataset of its entry, not for all datasets of a parent that was scattered itself. */
function linkOf(
  node: NodeDefinition,
  scatter: NonNullable<ExpandSpec['scatter']>,
  datasets: readonly InputDataset[],
): (dataset: InputDataset) => ParentLink {
  const own = node.parents.find((parent) => parent.slot === scatter.over)!;
  return (dataset) => {
    if (dataset.node === undefined && datasets.length > 1)
      throw languageErrors.SCATTER_VALUE(node.key, `the node of entry ${dataset.position} is not known`);
    return { slot: scatter.as, key: dataset.node ?? own.key };
  };
}

function checkCount(node: NodeDefinition, count: number): void {
  if (count > mostEntries)
    throw languageErrors.SCATTER_VALUE(node.key, `the list has ${count} entries, more than ${mostEntries}`);
}

async function mapTogether<A, B>(items: readonly A[], map: (item: A) => Promise<B>): Promise<B[]> {
  const mapped: B[] = [];
  for (let from = 0; from < items.length; from += together)
    mapped.push(...(await Promise.all(items.slice(from, from + together).map(map))));
  return mapped;
}

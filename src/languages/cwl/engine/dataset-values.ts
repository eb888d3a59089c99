// What the datasets in a slot say about the outputs of the node behind it. A plain node has one dataset, whose value holds its output
// object. A node that grew into a list has a template as first member, which says how its outputs are put together from the others;
// members may have grown themselves. A node that was skipped has none, and all its outputs are null.
import { isList, isObject, type Json, type JsonObject } from '../../../core/json.ts';
import type { InputDataset } from '../../../core/ports/action-type.ts';
import { urlOfPath } from '../load/uri.ts';
import type { PickValue } from '../model/process.ts';
import { isInside, mapLocations } from './file-reference.ts';
import { mergeFlat, pickFrom } from './link-operations.ts';
import type { Symbolic } from './symbol.ts';

/** An output of the n-th member of a list. */
export interface MemberOutput {
  readonly member: number;
  readonly output: string;
}

export type TemplateValue = Symbolic<MemberOutput, never>;

/** The JSON value that action types of this language attach to a dataset. */
export type DatasetValue =
  | { readonly outputs: JsonObject }
  | { readonly template: Readonly<Record<string, TemplateValue>> };

/** How the location of a file in a dataset is written in what is read from it. */
export type Locate = (dataset: InputDataset, inside: string) => string;

/** By absolute URL. */
export const locateOnDisk: Locate = (dataset, inside) => {
  const base = urlOfPath(dataset.path);
  return inside === '' ? base : `${base.replace(/\/$/, '')}/${inside}`;
};

type Member = { readonly dataset: InputDataset } | { readonly members: Map<number, Member> };

/** The output of the node behind a slot; null when it was skipped or has no such output. */
export function readOutput(datasets: readonly InputDataset[], name: string, locate: Locate): Json {
  const tree = treeOf(datasets);
  return tree === undefined ? null : outputOf(tree, name, locate);
}

/** The files or directories that an action of another language left under the name of an output; null when it was skipped. */
export function readPaths(
  datasets: readonly InputDataset[],
  name: string,
  kind: 'File' | 'Directory',
  locate: Locate,
): Json {
  const [dataset] = datasets;
  const outputs = dataset !== undefined && isObject(dataset.value) ? dataset.value.outputs : undefined;
  const found = isObject(outputs) && Object.hasOwn(outputs, name) ? outputs[name]! : null;
  const one = (path: Json): Json => ({
    class: kind,
    location: locate(dataset!, String(path).split('/').map(encodeURIComponent).join('/')),
    basename: String(path).split('/').at(-1)!,
  });
  if (isList(found)) return found.map(one);
  return found === null ? null : one(found);
}

function treeOf(datasets: readonly InputDataset[]): Member | undefined {
  let root: Member | undefined;
  for (const dataset of datasets) {
    if (dataset.position === '') return { dataset };
    root ??= { members: new Map() };
    let at = root;
    const parts = dataset.position.split('.').map(Number);
    for (const [depth, part] of parts.entries()) {
      if (!('members' in at)) break;
      let next = at.members.get(part);
      if (next === undefined) {
        next = depth === parts.length - 1 ? { dataset } : { members: new Map() };
        at.members.set(part, next);
      }
      at = next;
    }
  }
  return root;
}

function outputOf(tree: Member, name: string, locate: Locate): Json {
  if ('dataset' in tree) {
    const value = datasetValue(tree.dataset);
    if (!('outputs' in value)) return null;
    return located(value.outputs[name] ?? null, tree.dataset, locate);
  }
  const first = tree.members.get(0);
  const template = first !== undefined && 'dataset' in first ? datasetValue(first.dataset) : undefined;
  if (first === undefined) return null;
  if (template === undefined || !('template' in template)) return outputOf(first, name, locate);
  const shape = template.template[name];
  return shape === undefined
    ? null
    : assemble(shape, tree.members, (first as { dataset: InputDataset }).dataset, locate);
}

function assemble(
  shape: TemplateValue,
  members: ReadonlyMap<number, Member>,
  own: InputDataset,
  locate: Locate,
): Json {
  const again = (one: TemplateValue) => assemble(one, members, own, locate);
  if ('lit' in shape) return located(shape.lit, own, locate);
  if ('out' in shape) {
    const member = members.get(shape.out.member);
    return member === undefined ? null : outputOf(member, shape.out.output, locate);
  }
  if ('list' in shape) return shape.list.map(again);
  if ('flat' in shape) return mergeFlat(shape.flat.map(again));
  if ('pick' in shape) return pickFrom(again(shape.pick.of), shape.pick.how as PickValue, shape.pick.name);
  if ('or' in shape) return again(shape.or.of) ?? shape.or.default;
  if ('load' in shape) return again(shape.load.of);
  return null;
}

function located(value: Json, dataset: InputDataset, locate: Locate): Json {
  return mapLocations(value, (location) => (isInside(location) ? locate(dataset, location) : location));
}

function datasetValue(dataset: InputDataset): DatasetValue {
  const { value } = dataset;
  return isObject(value) && ('outputs' in value || 'template' in value)
    ? (value as unknown as DatasetValue)
    : { outputs: {} };
}

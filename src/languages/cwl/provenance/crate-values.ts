// Values of a run as entities of an RO-Crate: files and folders are data entities, lists of them collections, everything else property values.
import { isList, isObject, type Json, type JsonObject } from '../../../core/json.ts';
import { type CwlFile, type CwlPath, isFile, isPath, pathsIn } from '../values/file-object.ts';

export type Entity = JsonObject & { readonly '@id': string };
export type Reference = { readonly '@id': string };

export const reference = (id: string): Reference => ({ '@id': id });

/** Entities under their ids, each once; what is said later is added to what is there. */
export class CrateGraph {
  private readonly entities = new Map<string, Record<string, Json>>();

  add(entity: Entity): Reference {
    const id = entity['@id'];
    const before = this.entities.get(id);
    this.entities.set(id, before === undefined ? { ...entity } : merged(before, entity));
    return reference(id);
  }

  list(): JsonObject[] {
    return [...this.entities.values()].map(withoutSingles);
  }

  collections(): Reference[] {
    return this.list()
      .filter((entity) => entity['@type'] === 'Collection')
      .map((entity) => reference(String(entity['@id'])));
  }

  /** Ids of the files and folders that are inside the crate. */
  parts(): Reference[] {
    return this.list()
      .filter((entity) => [entity['@type']].flat().some((type) => type === 'File' || type === 'Dataset'))
      .map((entity) => reference(String(entity['@id'])))
      .filter((one) => one['@id'] !== './');
  }
}

/** A list of one is written as the one, as RO-Crate recommends; an empty list says nothing. */
export function withoutSingles(entity: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(entity)
      .filter(([, value]) => !isList(value) || value.length > 0)
      .map(([name, value]) => [name, isList(value) && value.length === 1 ? value[0]! : value]),
  );
}

/** One file may stand for several parameters. */
function merged(before: Record<string, Json>, entity: Entity): Record<string, Json> {
  const whole: Record<string, Json> = { ...before, ...entity };
  for (const name of ['exampleOfWork', 'alternateName']) {
    const all = [before[name] ?? [], entity[name] ?? []].flat() as Json[];
    const distinct = [...new Map(all.map((one) => [JSON.stringify(one), one])).values()];
    if (distinct.length > 0) whole[name] = distinct.length === 1 ? distinct[0]! : distinct;
  }
  return whole;
}

export interface ValueContext {
  readonly graph: CrateGraph;
  /** `#input/reads`: ids of what has none of its own begin with it. */
  readonly parameterId: string;
  readonly name: string;
  /** The path of a file inside the crate. */
  idOf(path: CwlPath): string;
}

/** Adds what a parameter got; undefined for nothing. */
export function addValue(value: Json, context: ValueContext): Reference | undefined {
  if (value === null) return undefined;
  const exampleOfWork = reference(context.parameterId);
  if (isPath(value)) return addPath(value, context, { exampleOfWork });
  if (isList(value) && value.length > 0 && value.every(isPath))
    return addCollection(value as unknown as CwlPath[], context, { exampleOfWork });
  const id = `${context.parameterId}/value`;
  const files = pathsIn(value).map((path) => addPath(path, context, {}));
  return context.graph.add({
    '@id': id,
    '@type': 'PropertyValue',
    name: context.name,
    value: plain(value),
    exampleOfWork,
    ...(files.length > 0 ? { mentions: files } : {}),
  });
}

/** Lists of scalars stay lists; what has structure is told as JSON text. */
function plain(value: Json): Json {
  const isScalar = (one: Json): boolean => !isList(one) && !isObject(one) && one !== null;
  if (isScalar(value)) return value;
  return isList(value) && value.length > 0 && value.every(isScalar) ? value : JSON.stringify(value);
}

function addPath(path: CwlPath, context: ValueContext, extra: JsonObject): Reference {
  if (!isFile(path))
    return context.graph.add({
      '@id': context.idOf(path),
      '@type': 'Dataset',
      name: path.basename ?? context.name,
      ...extra,
    });
  if ((path.secondaryFiles ?? []).length === 0) return context.graph.add(fileEntity(path, context, extra));
  const { secondaryFiles = [], ...alone } = path;
  return addCollection([alone, ...secondaryFiles], context, {
    ...extra,
    mainEntity: reference(context.idOf(path)),
  });
}

function addCollection(paths: readonly CwlPath[], context: ValueContext, extra: JsonObject): Reference {
  const hasPart = paths.map((path) => addPath(path, context, {}));
  return context.graph.add({
    '@id': `${context.parameterId}/collection${extra.mainEntity === undefined ? '' : `/${hasPart[0]!['@id']}`}`,
    '@type': 'Collection',
    name: context.name,
    hasPart,
    ...extra,
  });
}

function fileEntity(path: CwlFile, context: ValueContext, extra: JsonObject): Entity {
  return {
    '@id': context.idOf(path),
    '@type': 'File',
    name: path.basename ?? context.name,
    ...(path.size === undefined ? {} : { contentSize: String(path.size) }),
    ...(path.format === undefined ? {} : { encodingFormat: path.format }),
    ...(path.checksum?.startsWith('sha1$') ? { sha1: path.checksum.slice('sha1$'.length) } : {}),
    ...extra,
  };
}

// Whether values of one type can flow into a parameter of another: always, sometimes, or never.
import { alternatives, type CwlType, type RecordType, unionOf } from '../model/cwl-type.ts';
import type { Link } from '../model/process.ts';

export type Fit = 'never' | 'sometimes' | 'always';

const order: readonly Fit[] = ['never', 'sometimes', 'always'];
const widening: Readonly<Record<string, readonly string[]>> = {
  int: ['int', 'long', 'float', 'double'],
  long: ['long', 'float', 'double'],
  float: ['float', 'double'],
  double: ['float', 'double'],
};

export function fits(source: CwlType, sink: CwlType): Fit {
  const each = alternatives(source).map((one) => bestFit(one, sink));
  if (each.every((fit) => fit === 'always')) return 'always';
  return each.every((fit) => fit === 'never') ? 'never' : 'sometimes';
}

function bestFit(source: CwlType, sink: CwlType): Fit {
  let best: Fit = 'never';
  for (const one of alternatives(sink)) {
    const fit = fitsOne(source, one);
    if (order.indexOf(fit) > order.indexOf(best)) best = fit;
  }
  return best;
}

function fitsOne(source: CwlType, sink: CwlType): Fit {
  if (source === 'Any' || sink === 'Any') return 'always';
  if (typeof source === 'string' && typeof sink === 'string') {
    if (source === sink || widening[source]?.includes(sink)) return 'always';
    return widening[sink]?.includes(source) ? 'sometimes' : 'never';
  }
  if (typeof source === 'string') return isEnum(sink) && source === 'string' ? 'sometimes' : 'never';
  if (typeof sink === 'string') return isEnum(source) && sink === 'string' ? 'always' : 'never';
  if (source.type === 'array' && sink.type === 'array') return fits(source.items, sink.items);
  if (source.type === 'record' && sink.type === 'record') return fitsRecord(source, sink);
  if (source.type === 'enum' && sink.type === 'enum') {
    const common = source.symbols.filter((symbol) => sink.symbols.includes(symbol));
    return common.length === 0 ? 'never' : common.length === source.symbols.length ? 'always' : 'sometimes';
  }
  return 'never';
}

function isEnum(type: CwlType): boolean {
  return typeof type === 'object' && type.type === 'enum';
}

function fitsRecord(source: RecordType, sink: RecordType): Fit {
  let worst: Fit = 'always';
  for (const field of sink.fields) {
    const given = source.fields.find((one) => one.name === field.name);
    const fit = fits(given?.type ?? 'null', field.type);
    if (order.indexOf(fit) < order.indexOf(worst)) worst = fit;
  }
  return worst;
}

/** The type that arrives through a link whose sources have the given types. */
export function linkedType(
  link: Pick<Link, 'linkMerge' | 'pickValue'>,
  sources: readonly CwlType[],
): CwlType {
  const merged = mergedType(link, sources);
  if (link.pickValue === undefined) return merged;
  const items = alternatives(merged).flatMap((one) =>
    typeof one === 'object' && one.type === 'array' ? alternatives(one.items) : [],
  );
  if (items.length === 0) return 'Any';
  const present = items.filter((one) => one !== 'null');
  const picked: CwlType = present.length === 0 ? 'null' : unionOf(present);
  return link.pickValue === 'all_non_null' ? { type: 'array', items: picked } : picked;
}

function mergedType(link: Pick<Link, 'linkMerge'>, sources: readonly CwlType[]): CwlType {
  if (sources.length === 1 && link.linkMerge === undefined) return sources[0]!;
  if (link.linkMerge !== 'merge_flattened') return { type: 'array', items: unionOf(sources) };
  const items = sources
    .flatMap(alternatives)
    .flatMap((one) => (typeof one === 'object' && one.type === 'array' ? alternatives(one.items) : [one]));
  return { type: 'array', items: unionOf(items) };
}

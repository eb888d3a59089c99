// Values of a workflow before they are known. Lowering a workflow passes symbols along its links: what is known is a literal, what a
// node will produce is a reference, and the operations of links (merging, picking, defaults, valueFrom) are kept around them until
// they can be carried out. Symbols are plain JSON, so they travel in a node's spec and enter its identity.
import { isList, type Json } from '../../../core/json.ts';
import type { LoadListing } from '../model/cwl-type.ts';
import type { CwlVersion, PickValue } from '../model/process.ts';
import type { InlineJavascript } from '../model/requirement.ts';

export interface Loads {
  readonly loadContents?: boolean;
  readonly loadListing?: LoadListing;
  readonly version: CwlVersion;
}

/** `R` is how an output of another node is named: by key while lowering, by slot inside a spec, by member inside a list. */
export type Symbolic<R, S> =
  | { readonly lit: Json }
  | { readonly out: R }
  | { readonly list: readonly Symbolic<R, S>[] }
  | { readonly flat: readonly Symbolic<R, S>[] }
  | { readonly pick: { readonly how: PickValue; readonly of: Symbolic<R, S>; readonly name: string } }
  | { readonly or: { readonly of: Symbolic<R, S>; readonly default: Json } }
  | { readonly load: { readonly of: Symbolic<R, S>; readonly loads: Loads } }
  /** The value of a step input after valueFrom. */
  | { readonly in: { readonly scope: S; readonly name: string } };

/** The inputs of one step before valueFrom, and the expressions that change them. */
export interface StepScope<R, S> {
  readonly raw: Readonly<Record<string, Symbolic<R, S>>>;
  readonly valueFrom: Readonly<Record<string, string>>;
  readonly version: CwlVersion;
  readonly javascript?: InlineJavascript;
}

/** An output of a node of the run. */
export interface NodeOutput {
  readonly node: string;
  readonly output: string;
  /** Set when another language made the node: its outputs are paths in its dataset, of files or directories. */
  readonly paths?: 'File' | 'Directory';
}

export type Sym = Symbolic<NodeOutput, Scope>;
export interface Scope extends StepScope<NodeOutput, Scope> {}

export const nothing: Sym = { lit: null };

export function isLiteral(sym: Sym): sym is { readonly lit: Json } {
  return 'lit' in sym;
}

/** The elements of a list whose length is known, or undefined. */
export function knownItems(sym: Sym): readonly Sym[] | undefined {
  if ('lit' in sym) return isList(sym.lit) ? sym.lit.map((lit) => ({ lit })) : undefined;
  return 'list' in sym ? sym.list : undefined;
}

/** A list; literal when all its elements are. */
export function listOf(items: readonly Sym[]): Sym {
  return items.every(isLiteral) ? { lit: items.map((item) => item.lit) } : { list: items };
}

/** The elements of all parts in one list; a part that is no list is an element itself. */
export function flatten(parts: readonly Sym[]): Sym {
  const known = parts.map((part) => knownItems(part) ?? (isLiteral(part) ? [part] : undefined));
  if (known.every((items) => items !== undefined)) return listOf(known.flat());
  return { flat: parts };
}

/** A default takes the place of null. */
export function withDefault(sym: Sym, value: Json | undefined): Sym {
  if (value === undefined || value === null) return sym;
  if (isLiteral(sym)) return sym.lit === null ? { lit: value } : sym;
  return knownItems(sym) !== undefined ? sym : { or: { of: sym, default: value } };
}

/** Every node output that a symbol may need. */
export function* outputsUsed(sym: Sym, seen: Set<Scope> = new Set()): Generator<NodeOutput> {
  if ('out' in sym) yield sym.out;
  else if ('list' in sym) for (const one of sym.list) yield* outputsUsed(one, seen);
  else if ('flat' in sym) for (const one of sym.flat) yield* outputsUsed(one, seen);
  else if ('pick' in sym) yield* outputsUsed(sym.pick.of, seen);
  else if ('or' in sym) yield* outputsUsed(sym.or.of, seen);
  else if ('load' in sym) yield* outputsUsed(sym.load.of, seen);
  else if ('in' in sym && !seen.has(sym.in.scope)) {
    seen.add(sym.in.scope);
    for (const one of Object.values(sym.in.scope.raw)) yield* outputsUsed(one, seen);
  }
}

/** Rewrites a symbol's references and scopes; literals go through `literal`. */
export function mapSymbol<R1, S1, R2, S2>(
  sym: Symbolic<R1, S1>,
  change: { literal(value: Json): Json; output(output: R1): R2; scope(scope: S1): S2 },
): Symbolic<R2, S2> {
  const again = (one: Symbolic<R1, S1>) => mapSymbol(one, change);
  if ('lit' in sym) return { lit: change.literal(sym.lit) };
  if ('out' in sym) return { out: change.output(sym.out) };
  if ('list' in sym) return { list: sym.list.map(again) };
  if ('flat' in sym) return { flat: sym.flat.map(again) };
  if ('pick' in sym) return { pick: { ...sym.pick, of: again(sym.pick.of) } };
  if ('or' in sym) return { or: { of: again(sym.or.of), default: change.literal(sym.or.default) } };
  if ('load' in sym) return { load: { ...sym.load, of: again(sym.load.of) } };
  return { in: { scope: change.scope(sym.in.scope), name: sym.in.name } };
}

// Replaces $import, $include and $mixin by what they name. Imported nodes keep the document they come from, and with it their own
// base for identifiers and their own namespaces.
import { cwlErrors } from '../error-codes.ts';
import type { DocumentStore } from './document-store.ts';
import {
  child,
  listNode,
  mapNode,
  placeOf,
  type SourceEntry,
  type SourceMap,
  type SourceNode,
  scalarNode,
  stringAt,
} from './source-node.ts';
import { fragmentOf, resolveLink, shortName, withoutFragment } from './uri.ts';

/** The root of a document with all its directives resolved. */
export function expandDocument(url: string, from: SourceNode | undefined, store: DocumentStore): SourceNode {
  const document = withoutFragment(url);
  let root = store.expanded.get(document);
  if (root === undefined) {
    root = expandImports(store.document(url, from).root, store, [document]);
    store.expanded.set(document, root);
  }
  return root;
}

/** The node with all its directives resolved; a list that is imported into a list is spliced into it. */
export function expandImports(
  node: SourceNode,
  store: DocumentStore,
  open: readonly string[] = [],
): SourceNode {
  if (node.kind === 'scalar') return node;
  if (node.kind === 'list') {
    const items = node.items.map((item) => ({ item, expanded: expandImports(item, store, open) }));
    if (items.every(({ item, expanded }) => item === expanded)) return node;
    return listNode(
      node,
      items.flatMap(({ item, expanded }) =>
        isImport(item) && expanded.kind === 'list' ? expanded.items : [expanded],
      ),
    );
  }
  const imported = stringAt(node, '$import');
  if (imported !== undefined) return importNode(node, imported, store, open);
  const included = stringAt(node, '$include');
  if (included !== undefined) {
    const text = store.text(resolveLink(included, node.source), node);
    return scalarNode(node, text);
  }
  const mixin = stringAt(node, '$mixin');
  if (mixin !== undefined) return mixinNode(node, mixin, store, open);
  return expandEntries(node, store, open);
}

function expandEntries(node: SourceMap, store: DocumentStore, open: readonly string[]): SourceMap {
  let changed = false;
  const entries: [string, SourceEntry][] = [];
  for (const [key, entry] of node.entries) {
    const value = expandImports(entry.value, store, open);
    changed ||= value !== entry.value;
    entries.push([key, { keyOffset: entry.keyOffset, value }]);
  }
  return changed ? mapNode(node, entries) : node;
}

function isImport(node: SourceNode): boolean {
  return child(node, '$import') !== undefined;
}

function importNode(
  node: SourceMap,
  reference: string,
  store: DocumentStore,
  open: readonly string[],
): SourceNode {
  const url = resolveLink(reference, node.source);
  if (open.includes(url))
    throw cwlErrors.CWL_IMPORT_CYCLE.with({ place: placeOf(node) }, [...open, url].join(' → '));
  const extra = [...node.entries.keys()].find((key) => key !== '$import');
  if (extra !== undefined)
    throw cwlErrors.CWL_IMPORT_ALONE.with({ place: placeOf(node, extra) }, '$import', extra);
  const { root } = store.document(url, node);
  const fragment = fragmentOf(url);
  const target = fragment === undefined ? root : findByFragment(root, fragment);
  if (target === undefined)
    throw cwlErrors.CWL_NOT_READABLE.with({ place: placeOf(node) }, reference, `it has no "${fragment}"`);
  return expandImports(target, store, [...open, url]);
}

function mixinNode(
  node: SourceMap,
  reference: string,
  store: DocumentStore,
  open: readonly string[],
): SourceNode {
  const url = resolveLink(reference, node.source);
  if (open.includes(url))
    throw cwlErrors.CWL_IMPORT_CYCLE.with({ place: placeOf(node) }, [...open, url].join(' → '));
  const base = expandImports(store.document(url, node).root, store, [...open, url]);
  if (base.kind !== 'map')
    throw cwlErrors.CWL_NOT_READABLE.with({ place: placeOf(node) }, reference, 'a mixin must be a map');
  const own = [...node.entries].filter(([key]) => key !== '$mixin');
  return expandEntries(mapNode(node, [...base.entries, ...own]), store, open);
}

/** The object inside a document that has the identifier `#fragment` (as `id` or `name`). */
export function findByFragment(node: SourceNode, fragment: string): SourceMap | undefined {
  const wanted = fragment.replace(/^#/, '');
  const candidates = [...identified(node)];
  return (
    candidates.find(({ id }) => id.slice(id.indexOf('#') + 1) === wanted)?.node ??
    candidates.find(({ id }) => shortName(id) === wanted)?.node
  );
}

function* identified(node: SourceNode): Generator<{ id: string; node: SourceMap }> {
  if (node.kind === 'list') for (const item of node.items) yield* identified(item);
  if (node.kind !== 'map') return;
  const id = stringAt(node, 'id') ?? stringAt(node, 'name');
  if (id !== undefined) yield { id, node };
  for (const { value } of node.entries.values()) yield* identified(value);
}

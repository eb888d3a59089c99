// The rules that a workflow's graph obeys: ids are unique, referenced actions exist, no circle, the end does not come
// before the start. Everything is iterative, because chains have a hundred thousand actions and more.
import { isList, isObject, type Json } from '../../core/json.ts';
import { languageErrors } from './error-codes.ts';
import { hintFromNames } from './nearest-name.ts';
import type { DocumentPath, Problems } from './problems.ts';

/** The actions of a document by id, and who waits for whom as positions in `actions`. */
export interface ActionGraph {
  readonly indexOf: ReadonlyMap<string, number>;
  readonly parents: readonly (readonly number[])[];
  /** 1 for an action that some other action waits for. */
  readonly hasChildren: Uint8Array;
  /** Ids of the actions with `scatter`. */
  readonly scattered: ReadonlySet<string>;
}

/** Reads the graph out of the actions, tolerant of what else is wrong with them, and notes every broken rule. */
export function checkGraph(root: { readonly [key: string]: Json }, problems: Problems): ActionGraph {
  const actions = isList(root.actions) ? root.actions : [];
  const actionsPath: DocumentPath = { parent: undefined, key: 'actions' };
  if (isList(root.actions) && actions.length === 0)
    problems.add(actionsPath, 'value', (place) => languageErrors.WORKFLOW_NO_ACTIONS.with({ place }));
  const indexOf = indexIds(actions, actionsPath, problems);
  const hasChildren = new Uint8Array(actions.length);
  const lastChild = new Int32Array(actions.length).fill(-1);
  const parents = actions.map((action, index) => {
    if (!isObject(action)) return none;
    let found: number[] | undefined;
    forEachParent(action, (id, list, entry) => {
      const parent = indexOf.get(id);
      if (parent === undefined) {
        const from = { parent: { parent: { parent: actionsPath, key: index }, key: list }, key: entry };
        noteUndefined(id, from, indexOf, problems);
      } else if (lastChild[parent] !== index) {
        lastChild[parent] = index;
        hasChildren[parent] = 1;
        if (found === undefined) found = [parent];
        else found.push(parent);
      }
    });
    return found ?? none;
  });
  const graph = { indexOf, parents, hasChildren, scattered: scatteredIds(actions) };
  // Where everybody comes after those for whom he waits, there is no circle.
  if (parents.some((list, index) => list.some((parent) => parent >= index)))
    noteCycle(graph, idList(indexOf, actions.length), actionsPath, problems);
  noteEndBeforeStart(root, graph, problems);
  return graph;
}

/** The text form of an id, under which 1 and "1" are one; undefined for what is no id. */
export function idText(id: Json | undefined): string | undefined {
  if (typeof id === 'string') return id;
  return typeof id === 'number' ? String(id) : undefined;
}

function indexIds(actions: readonly Json[], path: DocumentPath, problems: Problems): Map<string, number> {
  const indexOf = new Map<string, number>();
  for (let index = 0; index < actions.length; index += 1) {
    const action = actions[index];
    const id = isObject(action) ? idText(action.id) : undefined;
    if (id === undefined) continue;
    if (!indexOf.has(id)) indexOf.set(id, index);
    else {
      const idPath = { parent: { parent: path, key: index }, key: 'id' };
      problems.add(idPath, 'value', (place) => languageErrors.ACTION_ID_DUPLICATE.with({ place }, id));
    }
  }
  return indexOf;
}

function scatteredIds(actions: readonly Json[]): Set<string> {
  const ids = new Set<string>();
  for (const action of actions)
    if (isObject(action) && action.scatter !== undefined) ids.add(idText(action.id) ?? '');
  return ids;
}

const none: readonly number[] = [];
/** Beyond this many ids the search for a likely one costs more than it helps. */
const mostIdsCompared = 1000;

/** Every id that an action refers to, with the list and the entry in which it stands. */
function forEachParent(
  action: { readonly [key: string]: Json },
  visit: (id: string, list: 'parentActions' | 'inputs', entry: string | number) => void,
): void {
  const { parentActions, inputs } = action;
  if (isList(parentActions))
    for (let index = 0; index < parentActions.length; index += 1) {
      const entry = parentActions[index];
      const id = idText(isObject(entry) ? entry.id : entry);
      if (id !== undefined) visit(id, 'parentActions', index);
    }
  if (isObject(inputs))
    for (const name of Object.keys(inputs)) {
      const input = inputs[name];
      const id = isObject(input) ? idText(input.from) : undefined;
      if (id !== undefined) visit(id, 'inputs', name);
    }
}

function noteUndefined(
  id: string,
  path: DocumentPath,
  indexOf: ReadonlyMap<string, number>,
  problems: Problems,
): void {
  problems.add(path, 'value', (place) => {
    const hint = indexOf.size <= mostIdsCompared ? hintFromNames(id, [...indexOf.keys()], 'ids') : undefined;
    return languageErrors.ACTION_UNDEFINED.with({ place, hint }, problems.where(path), id);
  });
}

function idList(indexOf: ReadonlyMap<string, number>, length: number): string[] {
  const ids = new Array<string>(length).fill('?');
  for (const [id, index] of indexOf) ids[index] = id;
  return ids;
}

const shownCycle = 20;

/** Takes away, again and again, what waits for nothing; what remains contains a circle, which is then walked. */
function noteCycle(graph: ActionGraph, ids: readonly string[], path: DocumentPath, problems: Problems): void {
  const { parents } = graph;
  const waiting = Int32Array.from(parents, (list) => list.length);
  const childCount = new Int32Array(parents.length + 1);
  for (const list of parents) for (const parent of list) childCount[parent + 1]! += 1;
  for (let index = 0; index < parents.length; index += 1) childCount[index + 1]! += childCount[index]!;
  const children = new Int32Array(childCount[parents.length]!);
  const filled = childCount.slice();
  for (const [child, list] of parents.entries())
    for (const parent of list) children[filled[parent]!++] = child;

  const free: number[] = [];
  for (let index = 0; index < waiting.length; index += 1) if (waiting[index] === 0) free.push(index);
  let done = 0;
  while (free.length > 0) {
    const index = free.pop()!;
    done += 1;
    for (let at = childCount[index]!; at < childCount[index + 1]!; at += 1) {
      const child = children[at]!;
      waiting[child]! -= 1;
      if (waiting[child] === 0) free.push(child);
    }
  }
  if (done === parents.length) return;

  let at = waiting.findIndex((count) => count > 0);
  const seenAt = new Map<number, number>();
  const walk: number[] = [];
  while (!seenAt.has(at)) {
    seenAt.set(at, walk.length);
    walk.push(at);
    at = parents[at]!.find((parent) => waiting[parent]! > 0)!;
  }
  const cycle = walk.slice(seenAt.get(at)!).reverse();
  const first = cycle.indexOf(cycle.reduce((least, index) => Math.min(least, index)));
  const ordered = [...cycle.slice(first), ...cycle.slice(0, first)];
  const shown = ordered.slice(0, shownCycle).map((index) => ids[index]!);
  if (ordered.length <= shownCycle) shown.push(shown[0]!);
  problems.add({ parent: path, key: ordered[0]! }, 'value', (place) =>
    languageErrors.WORKFLOW_CYCLE.with({ place }, shown, Math.max(0, ordered.length - shownCycle)),
  );
}

function noteEndBeforeStart(
  root: { readonly [key: string]: Json },
  graph: ActionGraph,
  problems: Problems,
): void {
  const found = (['startActionId', 'endActionId'] as const).map((key) => {
    const id = idText(root[key]);
    if (id === undefined) return undefined;
    const index = graph.indexOf.get(id);
    if (index === undefined) noteUndefined(id, { parent: undefined, key }, graph.indexOf, problems);
    return index;
  });
  const [start, end] = found;
  if (start === undefined || end === undefined || start === end) return;
  const seen = new Uint8Array(graph.parents.length);
  const open = [start];
  while (open.length > 0) {
    for (const parent of graph.parents[open.pop()!]!) {
      if (seen[parent] === 1) continue;
      seen[parent] = 1;
      open.push(parent);
    }
  }
  if (seen[end] !== 1) return;
  problems.add({ parent: undefined, key: 'endActionId' }, 'value', (place) =>
    languageErrors.WORKFLOW_END_BEFORE_START.with(
      { place },
      idText(root.endActionId)!,
      idText(root.startActionId)!,
    ),
  );
}

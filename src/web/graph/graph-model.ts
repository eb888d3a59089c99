// The graph of a run as it is looked at: actions by number, and groups that can be closed to one node. Scatters and sub-workflows are
// groups, by the keys of their actions and by what grew from what; so are many like-named actions at the same depth.
import type { Output } from '../base/api.ts';
import { lookOf, type Tone } from '../base/states.ts';
import type { ToneCounts } from '../parts/progress-bar.tsx';
import { pathGroups } from './path-groups.ts';

export interface Group {
  readonly id: string;
  readonly label: string;
  /** Indices of actions, those of inner groups included. */
  readonly members: readonly number[];
  readonly parent: Group | undefined;
}

/** What is drawn: an action, or a closed group. */
export interface VisibleNode {
  readonly id: string;
  readonly label: string;
  readonly action?: number;
  readonly group?: Group;
}

export interface VisibleGraph {
  readonly nodes: readonly VisibleNode[];
  readonly edges: readonly (readonly [number, number])[];
}

const fewestAlike = 6;

export class GraphModel {
  readonly run: number;
  readonly ids: readonly number[];
  readonly keys: readonly string[];
  readonly names: readonly string[];
  readonly results: readonly boolean[];
  readonly states: string[];
  readonly times: (readonly [number | null, number | null, number | null])[];
  readonly edges: readonly (readonly [number, number])[];
  readonly groups: ReadonlyMap<string, Group>;
  readonly #index: ReadonlyMap<number, number>;
  readonly #groupOf: readonly (Group | undefined)[];

  constructor(graph: Output<'getRunGraph'>) {
    const { actions, states, names } = graph;
    this.run = graph.run;
    this.ids = actions.map((action) => action[0]);
    this.keys = actions.map((action) => action[1]);
    this.names = actions.map((action) => names[action[2]] ?? '');
    this.states = actions.map((action) => states[action[3]] ?? '');
    this.results = actions.map((action) => action[5] === 1);
    this.times = graph.times.map(([ready, started, ended]) => [ready, started, ended] as const);
    this.edges = graph.edges.map(([from, to]) => [from, to] as const);
    this.#index = new Map(this.ids.map((id, i) => [id, i]));
    const grown = actions.map((action) => action[4]);
    const { groups, groupOf } = findGroups(this, grown);
    this.groups = groups;
    this.#groupOf = groupOf;
  }

  get size(): number {
    return this.ids.length;
  }

  indexOf(id: number): number | undefined {
    return this.#index.get(id);
  }

  toneOf(i: number): Tone {
    return lookOf('action', this.states[i] ?? '').tone;
  }

  /** Takes over a change of state; false for an action that is not known. */
  move(id: number, state: string, at: number): boolean {
    const i = this.#index.get(id);
    if (i === undefined) return false;
    this.states[i] = state;
    const [ready, started, ended] = this.times[i] ?? [null, null, null];
    const { tone } = lookOf('action', state);
    if (state === 'READY') this.times[i] = [at, started, ended];
    else if (tone === 'run') this.times[i] = [ready, started ?? at, ended];
    else if (tone !== 'wait') this.times[i] = [ready, started, at];
    return true;
  }

  countTones(members: readonly number[]): ToneCounts {
    const counts: Partial<Record<Tone, number>> = {};
    for (const i of members) {
      const tone = this.toneOf(i);
      counts[tone] = (counts[tone] ?? 0) + 1;
    }
    return counts;
  }

  /** The outermost closed group that an action is hidden in. */
  hiddenIn(i: number, open: ReadonlySet<string>): Group | undefined {
    let outermost: Group | undefined;
    for (let group = this.#groupOf[i]; group; group = group.parent)
      if (!open.has(group.id)) outermost = group;
    return outermost;
  }

  visible(open: ReadonlySet<string>): VisibleGraph {
    const nodes: VisibleNode[] = [];
    const place = new Map<string, number>();
    const nodeOf = new Int32Array(this.size);
    for (let i = 0; i < this.size; i += 1) {
      const group = this.hiddenIn(i, open);
      const id = group?.id ?? `a${this.ids[i]}`;
      let at = place.get(id);
      if (at === undefined) {
        at =
          nodes.push(
            group ? { id, label: group.label, group } : { id, label: this.keys[i] ?? '', action: i },
          ) - 1;
        place.set(id, at);
      }
      nodeOf[i] = at;
    }
    const seen = new Set<number>();
    const edges: (readonly [number, number])[] = [];
    for (const [from, to] of this.edges) {
      const [a, b] = [nodeOf[from] as number, nodeOf[to] as number];
      const pair = a * nodes.length + b;
      if (a === b || seen.has(pair)) continue;
      seen.add(pair);
      edges.push([a, b]);
    }
    return { nodes, edges };
  }
}

function findGroups(model: GraphModel, grown: readonly (number | null)[]) {
  const groups = new Map<string, Group>();
  const groupOf = pathGroups(model.keys);
  for (let group of groupOf) for (; group; group = group.parent) groups.set(group.id, group);
  const members = new Map<number, number[]>();
  grown.forEach((from, i) => {
    // Every ancestor counts it, so that a closed group knows all that is inside.
    for (let up = from; up !== null && up !== undefined; up = grown[up] ?? null)
      members.set(up, [...(members.get(up) ?? []), i]);
  });
  const grownGroup = (root: number): Group => {
    const id = `g${model.ids[root]}`;
    const known = groups.get(id);
    if (known) return known;
    const above = grown[root] ?? null;
    const parent = above === null ? undefined : grownGroup(above);
    const group: Group = {
      id,
      label: model.keys[root] ?? '',
      members: [root, ...(members.get(root) ?? [])],
      parent,
    };
    groups.set(id, group);
    return group;
  };
  for (let i = 0; i < model.size; i += 1) {
    if (groupOf[i]) continue;
    const from = grown[i] ?? null;
    if (members.has(i)) groupOf[i] = grownGroup(i);
    else if (from !== null) groupOf[i] = grownGroup(from);
  }
  for (const group of alikeGroups(model, groupOf)) {
    groups.set(group.id, group);
    for (const i of group.members) groupOf[i] = group;
  }
  return { groups, groupOf };
}

/** Actions without a group whose ids differ in numbers only and that lie at the same depth: no edge can run within such a group. */
function alikeGroups(model: GraphModel, groupOf: readonly (Group | undefined)[]): Group[] {
  const depth = depths(model.size, model.edges);
  const alike = new Map<string, number[]>();
  for (let i = 0; i < model.size; i += 1) {
    if (groupOf[i]) continue;
    const pattern = (model.keys[i] ?? '').replace(/\d+/g, '*');
    if (!pattern.includes('*')) continue;
    const id = `${depth[i]} ${pattern}`;
    const found = alike.get(id);
    if (found) found.push(i);
    else alike.set(id, [i]);
  }
  return [...alike]
    .filter(([, members]) => members.length >= fewestAlike)
    .map(([id, members]) => ({
      id: `l${id}`,
      label: id.slice(id.indexOf(' ') + 1),
      members,
      parent: undefined,
    }));
}

/** The length of the longest way to each node; nodes in a circle count as if the way ended there. */
export function depths(count: number, edges: readonly (readonly [number, number])[]): Int32Array {
  const depth = new Int32Array(count);
  const waiting = new Int32Array(count);
  const next: number[][] = Array.from({ length: count }, () => []);
  for (const [from, to] of edges) {
    waiting[to] = (waiting[to] as number) + 1;
    next[from]?.push(to);
  }
  const ready = [...waiting.keys()].filter((i) => waiting[i] === 0);
  for (let i = ready.pop(); i !== undefined; i = ready.pop()) {
    for (const to of next[i] ?? []) {
      depth[to] = Math.max(depth[to] as number, (depth[i] as number) + 1);
      waiting[to] = (waiting[to] as number) - 1;
      if (waiting[to] === 0) ready.push(to);
    }
  }
  return depth;
}

// Reads profiles that Node writes (`--cpu-prof`) and says what the time of the main thread went into, kind by kind.

interface ProfileNode {
  readonly id: number;
  readonly callFrame: { readonly functionName: string; readonly url: string };
  readonly children?: readonly number[];
}

export interface CpuProfile {
  readonly nodes: readonly ProfileNode[];
  readonly samples: readonly number[];
  /** Microseconds before each sample. */
  readonly timeDeltas: readonly number[];
}

/** What time goes into, in the order in which it is shown. */
export const kinds = [
  'waiting',
  'starting',
  'store',
  'files',
  'processes',
  'digests',
  'engine',
  'garbage',
  'other',
] as const;
export type Kind = (typeof kinds)[number];

export interface TimeSpent {
  readonly seconds: number;
  readonly byKind: Readonly<Record<Kind, number>>;
  /** Functions with the most time of their own, and that time in seconds. */
  readonly functions: readonly (readonly [string, number])[];
}

const special: Readonly<Record<string, Kind>> = {
  '(idle)': 'waiting',
  '(garbage collector)': 'garbage',
  '(program)': 'other',
  '(root)': 'other',
};
/** By where the code is: the sources of Varve, or modules of Node that are a kind of their own whoever calls them. */
const places: readonly (readonly [RegExp, Kind])[] = [
  [/\/src\/store\//, 'store'],
  [/\/src\/storage\/local\/(file-hasher|hash-threads)/, 'digests'],
  [/\/src\/storage\//, 'files'],
  [/\/src\/backends\//, 'processes'],
  [/^file:/, 'engine'],
  [/^node:internal\/(modules|bootstrap|vm|main|process|source_map|deps)/, 'starting'],
];
/** By what Node does, where no source of Varve called it. */
const modules: readonly (readonly [RegExp, Kind])[] = [
  [/^node:fs|^node:internal\/fs/, 'files'],
  [/^node:(internal\/)?(child_process|net|stream|streams)/, 'processes'],
  [/^node:(internal\/)?crypto/, 'digests'],
];

/** The kind of a frame by itself; undefined where its caller decides. */
function kindOf({ functionName, url }: ProfileNode['callFrame']): Kind | undefined {
  return special[functionName] ?? places.find(([pattern]) => pattern.test(url))?.[1];
}

/** What files the engine handles itself, and what comes from the event loop without a caller of ours. */
function refined(kind: Kind, url: string): Kind {
  if (kind !== 'engine' && kind !== 'other') return kind;
  return modules.find(([pattern]) => pattern.test(url))?.[1] ?? kind;
}

/** What a profile says. */
export function timeSpent(profile: CpuProfile): TimeSpent {
  const byId = new Map(profile.nodes.map((node) => [node.id, node]));
  const parents = new Map(profile.nodes.flatMap(({ id, children = [] }) => children.map((c) => [c, id])));
  const kindById = new Map<number, Kind>();
  const resolve = (id: number): Kind => {
    const known = kindById.get(id);
    if (known) return known;
    const parent = parents.get(id);
    const { callFrame } = byId.get(id)!;
    const above = parent === undefined ? 'other' : resolve(parent);
    const kind = kindOf(callFrame) ?? refined(above, callFrame.url);
    kindById.set(id, kind);
    return kind;
  };
  const byKind = Object.fromEntries(kinds.map((kind) => [kind, 0])) as Record<Kind, number>;
  const own = new Map<string, number>();
  let seconds = 0;
  profile.samples.forEach((id, i) => {
    const spent = profile.timeDeltas[i]! / 1e6;
    seconds += spent;
    byKind[resolve(id)] += spent;
    const { functionName } = byId.get(id)!.callFrame;
    if (!(functionName in special)) own.set(functionName, (own.get(functionName) ?? 0) + spent);
  });
  return { seconds, byKind, functions: [...own].sort((a, b) => b[1] - a[1]) };
}

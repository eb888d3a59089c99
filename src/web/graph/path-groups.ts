// Groups that the keys of actions tell: `align[3]` is an element of the scatter `align`, `inner/align` a step of the sub-workflow `inner`.
import type { Group } from './graph-model.ts';

const deepest = 16;
const fewestMembers = 2;

/** The innermost group of each action, or undefined for those whose keys tell none. */
export function pathGroups(keys: readonly string[]): (Group | undefined)[] {
  const chains = keys.map(groupPaths);
  const members = new Map<string, number[]>();
  const join = (path: string, i: number): void => {
    const known = members.get(path);
    if (known) known.push(i);
    else members.set(path, [i]);
  };
  for (const [i, chain] of chains.entries()) for (const path of chain) join(path, i);
  // What a scatter or a sub-workflow grew from bears its name.
  for (const [i, key] of keys.entries()) if (members.has(key)) join(key, i);
  const groups = new Map<string, Group | undefined>();
  const groupAt = (chain: readonly string[], depth: number): Group | undefined => {
    const path = chain[depth];
    if (path === undefined) return undefined;
    if (groups.has(path)) return groups.get(path);
    const parent = groupAt(chain, depth - 1);
    const inside = members.get(path) ?? [];
    // A scatter of one element that is a sub-workflow is one group, not two.
    const adds = inside.length >= fewestMembers && inside.length !== parent?.members.length;
    const group = adds ? { id: `p${path}`, label: path, members: inside, parent } : parent;
    groups.set(path, group);
    return group;
  };
  return keys.map((key, i) => {
    const chain = chains[i] as readonly string[];
    const whole = members.has(key) ? [...chain, key] : chain;
    return groupAt(whole, whole.length - 1);
  });
}

/** The paths of the groups around an action, outermost first. */
function groupPaths(key: string): readonly string[] {
  const paths: string[] = [];
  for (const { index } of key.matchAll(/[[/]/g)) {
    if (index > 0 && paths.length < deepest) paths.push(key.slice(0, index));
  }
  return paths;
}

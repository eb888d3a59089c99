// The results of a run under the names that its document gives them. An action that grew (a list, a condition) is remembered by what it
// grew into; its users know it by its own id, and the members of a list by their order.
import type { StoreView } from '../core/ports/store.ts';
import { type GrownNode, memberPosition, nestedPosition } from './plan-graph.ts';

export interface RunResult {
  /** Id of the action in the document. */
  readonly key: string;
  /** Order among the members of a list; '' for an action that is none. */
  readonly position: string;
  readonly datasetId: number;
}

/** What the run holds as its results, in the order of ids and positions. */
export async function resultsOfRun(view: StoreView, runId: number): Promise<RunResult[]> {
  const edges = await view.edgesOf('run', [runId]);
  const nameOf = await growthNames(
    view,
    runId,
    edges.map((edge) => edge.slot),
  );
  const results = edges.flatMap(({ slot, position, datasetId }): RunResult[] => {
    if (datasetId === null) return [];
    const name = nameOf(slot);
    return [{ key: name.key, position: nestedPosition(name.position, position), datasetId }];
  });
  return results.sort((a, b) => compare(a.key, b.key) || compare(a.position, b.position));
}

type Name = Pick<RunResult, 'key' | 'position'>;

/** Says for the key of an action which id of the document it stands for. */
async function growthNames(
  view: StoreView,
  runId: number,
  keys: readonly string[],
): Promise<(key: string) => Name> {
  const growers = new Set(keys.flatMap(possibleGrowers));
  const members = new Map<string, { grower: string; position: string }>();
  for (const action of growers.size > 0 ? await view.actionsByKey(runId, [...growers]) : []) {
    if (action.grown === null) continue;
    const { results, list } = JSON.parse(action.grown) as GrownNode;
    for (const [i, key] of results.entries()) {
      members.set(key, { grower: action.key, position: list ? memberPosition('', i) : '' });
    }
  }
  const nameOf = (key: string): Name => {
    const member = members.get(key);
    if (!member) return { key, position: '' };
    const outer = nameOf(member.grower);
    return { key: outer.key, position: nestedPosition(outer.position, member.position) };
  };
  return nameOf;
}

/** What grows adds a bracket to its own key: `a[3][when]` may have grown from `a[3]`, and that from `a`. */
function possibleGrowers(key: string): string[] {
  const growers: string[] = [];
  for (let rest = key; rest.endsWith(']'); ) {
    rest = rest.slice(0, rest.lastIndexOf('['));
    if (rest === '') break;
    growers.push(rest);
  }
  return growers;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

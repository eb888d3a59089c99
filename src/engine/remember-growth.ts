// What stood for a growing action is remembered under its signature, so that a later run can reuse it without growing again. An action that
// grew into growing ones is remembered when the last of them has grown.
import type { GrowthMember, StoreTransaction } from '../core/ports/store.ts';
import type { ActionRow } from '../core/rows.ts';
import { type GrownNode, memberPosition, nestedPosition } from './plan-graph.ts';

/** Remembers the action's growth, and that of the actions out of which it grew, as far as it is known. */
export async function rememberGrowth(
  tx: StoreTransaction,
  action: ActionRow,
  realm: string,
  at: number,
): Promise<void> {
  let id: number | null = action.id;
  while (id !== null) {
    const [current]: ActionRow[] = await tx.actions([id]);
    const members = current && (await standingMembers(tx, current, realm));
    if (!members) return;
    await tx.putGrowth(current.signature, realm, members, at);
    id = current.grownFrom;
  }
}

/** The datasets that stand for the action; undefined while something below it has not grown. */
async function standingMembers(
  tx: StoreTransaction,
  action: ActionRow,
  realm: string,
): Promise<GrowthMember[] | undefined> {
  if (action.expands === 0) {
    return action.datasetId === null ? undefined : [{ datasetId: action.datasetId, position: '' }];
  }
  if (action.grown === null) {
    if (action.state !== 'REUSED') return undefined;
    const [known] = await tx.growths([action.signature], [realm]);
    return known && [...known.members];
  }
  const { results, list } = JSON.parse(action.grown) as GrownNode;
  const actions = new Map((await tx.actionsByKey(action.runId, results)).map((row) => [row.key, row]));
  const members: GrowthMember[] = [];
  for (const [i, key] of results.entries()) {
    const result = actions.get(key);
    const inner = result && (await standingMembers(tx, result, realm));
    if (!inner) return undefined;
    const outer = list ? memberPosition('', i) : '';
    for (const { datasetId, position } of inner)
      members.push({ datasetId, position: nestedPosition(outer, position) });
  }
  return members;
}

// The inputs of actions that are about to run or have run: their edges with the datasets behind them, for many actions at once.
import { canonical, type Json } from '../core/json.ts';
import type { ActionType, InputDataset } from '../core/ports/action-type.ts';
import type { StoreView } from '../core/ports/store.ts';
import type { ActionRow, DatasetRow, EdgeRow } from '../core/rows.ts';
import { physicalSignature, type SignedDefinition } from '../core/signature.ts';
import type { NodeDefinition } from '../core/workflow.ts';
import type { EngineContext } from './engine-context.ts';

export interface ActionInputs {
  readonly edges: readonly EdgeRow[];
  readonly rows: readonly DatasetRow[];
  readonly datasets: readonly InputDataset[];
}

/** The inputs of each action, in the order of slot and position. */
export async function loadInputs(
  context: EngineContext,
  view: StoreView,
  actions: readonly ActionRow[],
): Promise<Map<number, ActionInputs>> {
  const edges = await view.edgesOf(
    'action',
    actions.map((action) => action.id),
  );
  const ids = [...new Set(edges.flatMap((edge) => edge.datasetId ?? []))];
  const rows = new Map((ids.length > 0 ? await view.datasets(ids) : []).map((row) => [row.id, row]));
  const nodes = await nodesBehind(view, actions, edges);
  const byAction = Map.groupBy(edges, (edge) => edge.holderId);
  return new Map(
    actions.map((action) => {
      const own = (byAction.get(action.id) ?? []).filter((edge) => edge.datasetId !== null);
      const found = own.map((edge) => rows.get(edge.datasetId as number) as DatasetRow);
      return [
        action.id,
        { edges: own, rows: found, datasets: own.map((edge, i) => input(context, edge, found[i], nodes)) },
      ];
    }),
  );
}

/** Keys of the actions behind the edges of growing actions, which name them as parents of what they insert. */
async function nodesBehind(
  view: StoreView,
  actions: readonly ActionRow[],
  edges: readonly EdgeRow[],
): Promise<Map<number, string>> {
  const growing = new Set(actions.filter((action) => action.expands === 1).map((action) => action.id));
  if (growing.size === 0) return new Map();
  const producers = edges
    .filter((edge) => growing.has(edge.holderId))
    .flatMap((edge) => edge.producerId ?? []);
  return new Map((await view.actions([...new Set(producers)])).map((action) => [action.id, action.key]));
}

function input(
  context: EngineContext,
  edge: EdgeRow,
  row: DatasetRow | undefined,
  nodes: ReadonlyMap<number, string>,
): InputDataset {
  const node = edge.producerId === null ? undefined : nodes.get(edge.producerId);
  return {
    ...(node === undefined ? {} : { node }),
    slot: edge.slot,
    position: edge.position,
    path: row?.location ? context.storage.path(row.location) : '',
    digest: row?.digest ?? '',
    value: row?.value ? (JSON.parse(row.value) as Json) : null,
  };
}

/** From which bytes the action would be computed: signature and inputs as canonical text. */
export async function physicalIdentity(
  type: ActionType | undefined,
  node: NodeDefinition,
  inputs: readonly InputDataset[],
): Promise<SignedDefinition & { readonly inputs: string }> {
  const own = await type?.physicalIdentity?.(node, inputs);
  const identity = own ?? node.identity;
  const unsigned = new Set(node.parents.filter((link) => link.signed === false).map((link) => link.slot));
  // A type that gives an identity of its own has the inputs in it by content, whatever datasets they come from.
  const parents = (own === undefined ? inputs : [])
    .filter((one) => !unsigned.has(one.slot))
    .map((one, position) => ({ slot: one.slot, position, key: one.digest }));
  const bySlot: Record<string, string[]> = Object.create(null);
  for (const parent of parents) (bySlot[parent.slot] ??= []).push(parent.key);
  return { ...physicalSignature(identity, parents), inputs: canonical([identity, bySlot]) };
}

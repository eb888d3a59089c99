// Before a forced computation is compared with the dataset that is there: are the files of that one really there? Otherwise the comparison
// would keep missing files and give up the new ones.
import { availableDatasetStates } from '../core/machines/dataset.ts';
import { parseReason } from '../core/reason.ts';
import type { ActionRow } from '../core/rows.ts';
import type { EngineContext } from './engine-context.ts';
import { verifyDataset } from './verify-dataset.ts';

/** Looks at the stored dataset beside which the action computed its own, if it did; a damaged one is lost from then on. */
export async function checkCurrent(context: EngineContext, action: ActionRow): Promise<void> {
  const { code } = parseReason(action.reason);
  if (code !== 'FORCED' && code !== 'PARENT_FORCED') return;
  const { view } = context.store;
  const [run] = await view.runs([action.runId]);
  const [current] = await view.datasetsBySignature([action.signature], [run?.realm ?? '']);
  if (!current || current.id === action.datasetId) return;
  if (availableDatasetStates.some((state) => state === current.state))
    await verifyDataset(context, current, 'sizes');
}

// `varve datasets restore`: computes a deleted dataset again and says whether its bytes are the same.
import { randomUUID } from 'node:crypto';
import { findDataset } from '../../engine/find-dataset.ts';
import { restoreDataset } from '../../engine/restore-dataset.ts';
import type { CommandRun } from '../command-table.ts';
import { followRun } from '../follow-run.ts';
import { withVarve } from '../session.ts';

export const run: CommandRun<'datasets restore'> = ({ arguments: given }, context) =>
  withVarve(context, async (varve) => {
    const before = await findDataset(varve.store.view, given.dataset);
    const request = { userName: varve.userName, submissionKey: randomUUID() };
    const { runId } = await restoreDataset(varve.engine.context, before, request);
    const exitCode = await followRun(varve, runId, {}, context);
    const [after] = await varve.store.view.datasets([before.id]);
    if (exitCode === 0 && before.digest !== null && after?.digest !== before.digest) {
      context.output.warn(
        `${before.signature.slice(0, 12)} has other bytes than before: its action is not deterministic`,
      );
    } else if (exitCode === 0)
      context.output.note(`${before.signature.slice(0, 12)} has the same bytes as before`);
    return exitCode;
  });

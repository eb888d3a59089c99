// `varve datasets restore`: computes a deleted dataset again and says whether its bytes are the same.
import { randomUUID } from 'node:crypto';
import type { CommandRun } from '../command-table.ts';
import { followRun } from '../follow-run.ts';
import { withSession } from '../session.ts';

export const run: CommandRun<'datasets restore'> = ({ arguments: given }, context) =>
  withSession(context, async (session) => {
    const { api } = session;
    const before = await api.getDataset({ dataset: given.dataset });
    const { dataset } = before;
    const { run } = await api.restoreDataset({ dataset, idempotencyKey: randomUUID() });
    const exitCode = await followRun(session, run, {}, context);
    const after = await api.getDataset({ dataset });
    if (exitCode === 0 && before.digest !== null && after.digest !== before.digest) {
      context.output.warn(
        `${dataset.slice(0, 12)} has other bytes than before: its action is not deterministic`,
      );
    } else if (exitCode === 0) context.output.note(`${dataset.slice(0, 12)} has the same bytes as before`);
    return exitCode;
  });

// `varve workers exit`.
import type { CommandRun } from '../command-table.ts';
import { giveOrder } from '../give-order.ts';

export const run: CommandRun<'workers exit'> = ({ arguments: { worker } }, context) =>
  giveOrder(context, worker, 'exit');

// `varve workers pause`.
import type { CommandRun } from '../command-table.ts';
import { giveOrder } from '../give-order.ts';

export const run: CommandRun<'workers pause'> = ({ arguments: { worker } }, context) =>
  giveOrder(context, worker, 'pause');

// `varve workers drain`.
import type { CommandRun } from '../command-table.ts';
import { giveOrder } from '../give-order.ts';

export const run: CommandRun<'workers drain'> = ({ arguments: { worker } }, context) =>
  giveOrder(context, worker, 'drain');

// `varve workers resume`.
import type { CommandRun } from '../command-table.ts';
import { giveOrder } from '../give-order.ts';

export const run: CommandRun<'workers resume'> = ({ arguments: { worker } }, context) =>
  giveOrder(context, worker, 'resume');

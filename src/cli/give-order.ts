// What the commands `varve workers pause`, `resume`, `drain` and `exit` do.
import type { Input } from '../api/api.ts';
import type { CommandContext } from './command.ts';
import { withApi } from './session.ts';

const words: Readonly<Record<Input<'orderWorker'>['order'], string>> = {
  pause: 'takes nothing new',
  resume: 'takes actions again',
  drain: 'finishes what it has and leaves',
  exit: 'leaves now',
};

export function giveOrder(
  context: CommandContext,
  worker: string,
  order: Input<'orderWorker'>['order'],
): Promise<number> {
  return withApi(context, async (api) => {
    const told = await api.orderWorker({ worker, order });
    context.output.result(told, () => `${told.name} ${words[order]}`);
    return 0;
  });
}

// A store that says what has ended in it, once that is committed. The engine knows nothing of it.
import { actionMachine } from '../core/machines/action.ts';
import { runMachine } from '../core/machines/run.ts';
import type { Moved, Store, StoreTransaction } from '../core/ports/store.ts';

export interface EndsWatcher {
  ended(machine: 'run' | 'action', ids: readonly number[]): void;
  timed<T>(name: string, body: () => Promise<T>): Promise<T>;
}

const ends: Readonly<Record<string, ReadonlySet<string>>> = {
  run: new Set(runMachine.final),
  action: new Set(actionMachine.final),
};

export function watchEnds(store: Store, watcher: EndsWatcher): Store {
  return {
    ...store,
    write: (body, options) =>
      watcher.timed('store write', async () => {
        const ended = { run: new Set<number>(), action: new Set<number>() };
        const result = await store.write((tx) => {
          // A body may be run again after its transaction was undone.
          ended.run.clear();
          ended.action.clear();
          return body(overheard(tx, ended));
        }, options);
        for (const machine of ['run', 'action'] as const)
          if (ended[machine].size > 0) watcher.ended(machine, [...ended[machine]]);
        return result;
      }),
  };
}

function overheard(
  tx: StoreTransaction,
  ended: { readonly run: Set<number>; readonly action: Set<number> },
): StoreTransaction {
  return {
    ...tx,
    async move(machine, event, moves, context) {
      const moved: Moved[] = await tx.move(machine, event, moves, context);
      const final = ends[machine];
      if (final) for (const { id, to } of moved) if (final.has(to)) ended[machine as 'run'].add(id);
      return moved;
    },
  };
}

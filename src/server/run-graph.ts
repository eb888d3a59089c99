// The graph of a run in a compact form: names and states by number, edges by index, so that many thousand actions fit into one answer.

import type { Output } from '../api/api.ts';
import { actionMachine } from '../core/machines/action.ts';
import { statesOf } from '../core/machines/machine.ts';
import { readNode } from '../core/node-text.ts';
import type { StoreView } from '../core/ports/store.ts';
import type { ActionRow } from '../core/rows.ts';

const rowsAtOnce = 1000;

type Graph = Output<'getRunGraph'>;

export async function runGraph(view: StoreView, runId: number): Promise<Graph> {
  const states = statesOf(actionMachine);
  const numberOfState = new Map(states.map((state, i) => [state, i]));
  const names = new Numbered();
  const index = new Map<number, number>();
  const byKey = new Map<string, number>();
  const parents: { readonly child: number; readonly keys: readonly string[] }[] = [];
  const actions: Graph['actions'] = [];
  const times: Graph['times'] = [];
  for await (const row of actionsOf(view, runId)) {
    const i = actions.length;
    index.set(row.id, i);
    byKey.set(row.key, i);
    const grownFrom = row.grownFrom === null ? null : (index.get(row.grownFrom) ?? null);
    const state = numberOfState.get(row.state) ?? 0;
    actions.push([row.id, row.key, names.numberOf(row.name), state, grownFrom, row.result]);
    times.push([row.readyAt, row.startedAt, row.endedAt]);
    parents.push({ child: i, keys: readNode(row.node).parents.map((link) => link.key) });
  }
  const edges: Graph['edges'] = parents.flatMap(({ child, keys }) =>
    [...new Set(keys)].flatMap((key): Graph['edges'] => {
      const parent = byKey.get(key);
      return parent === undefined ? [] : [[parent, child]];
    }),
  );
  return { run: runId, states: [...states], names: names.all, actions, times, edges };
}

/** Pages of rows, so that other requests get their turn between them. */
async function* actionsOf(view: StoreView, runId: number): AsyncGenerator<ActionRow> {
  for (let after = 0; ; ) {
    const rows = await view.actionsOfRun(runId, { after, limit: rowsAtOnce });
    yield* rows;
    const last = rows.at(-1);
    if (!last || rows.length < rowsAtOnce) return;
    after = last.id;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

class Numbered {
  readonly all: string[] = [];
  readonly #numbers = new Map<string, number>();

  numberOf(name: string): number {
    let number = this.#numbers.get(name);
    if (number === undefined) {
      number = this.all.push(name) - 1;
      this.#numbers.set(name, number);
    }
    return number;
  }
}

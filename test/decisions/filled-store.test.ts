// The store on which decisions are measured is one on which decisions can be made.
import assert from 'node:assert/strict';
import { fillStore } from '../../bench/decisions/fill-store.ts';
import { story } from './budget-world.ts';

story('a made-up past fills a store, and decisions follow from it', async ({ open }) => {
  const empty = await open();
  await empty.close();
  await fillStore(empty.url, { known: 400, stored: 100, parents: 2, graph: 'sparse' });
  const world = await open();
  const { by, refused, freedBytes, shortfallBytes, givenUp } =
    await world.engine.decisionManager.foresee(1e9);
  assert.deepEqual({ by, refused, shortfallBytes }, { by: 'hamr', refused: undefined, shortfallBytes: 0 });
  assert.ok(freedBytes >= 1e9);
  assert.ok(givenUp.every(({ recomputeSeconds }) => (recomputeSeconds ?? 0) > 0));
});

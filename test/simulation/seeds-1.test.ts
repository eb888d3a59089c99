// A quarter of the seeds that every check runs; a longer campaign is `npm run simulate`.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runSeeds } from './run-seeds.ts';

test('seeds 10001 to 10500 keep every invariant and come to a good end', async () => {
  assert.equal(await runSeeds(10001, 500), undefined);
});

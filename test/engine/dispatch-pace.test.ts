import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createDispatchPace } from '../../src/engine/dispatch-pace.ts';

const ran = (ms: number) => ({ kind: 'exited', exitCode: 0, startedAt: 1000, endedAt: 1000 + ms }) as const;

test('long jobs leave the rest of the queue to others, short ones are taken ahead', () => {
  const pace = createDispatchPace();
  assert.equal(pace.ahead(2), 2);
  pace.ended(ran(12_000));
  assert.equal(pace.ahead(2), 0);
  for (let i = 0; i < 50; i++) pace.ended(ran(2));
  assert.ok(pace.ahead(2) > 50);
  pace.ended({ kind: 'lost', reason: 'gone' });
  pace.ended({ kind: 'cancelled' });
  assert.ok(pace.ahead(2) > 50);
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createDispatchPace, roomAhead } from '../../src/engine/dispatch-pace.ts';

const ran = (ms: number) => ({ kind: 'exited', exitCode: 0, startedAt: 1000, endedAt: 1000 + ms }) as const;

test('long jobs leave the rest of the queue to others, short ones are taken ahead', () => {
  const pace = createDispatchPace();
  assert.equal(pace.ahead(2, 0), 2);
  pace.ended('job', ran(12_000));
  assert.equal(pace.ahead(2, 0), 0);
  for (let i = 0; i < 50; i++) pace.ended('job', ran(2));
  assert.ok(pace.ahead(2, 0) > 50);
  pace.ended('job', { kind: 'lost', reason: 'gone' });
  pace.ended('job', { kind: 'cancelled' });
  assert.ok(pace.ahead(2, 0) > 50);
});

test('a job that has been running for long is known to be long before it ends', () => {
  const pace = createDispatchPace();
  pace.started('long', 1000);
  assert.equal(pace.ahead(2, 1000), 2);
  assert.equal(pace.ahead(2, 2000), 0);
  pace.ended('short', ran(2));
  // One core is left to the short ones.
  assert.equal(pace.ahead(2, 2000), 100);
  pace.started('another', 1000);
  assert.equal(pace.ahead(2, 2000), 0);
  pace.ended('long', ran(5));
  assert.ok(pace.ahead(2, 2000) > 50);
});

test('actions are taken for every free core, but ahead of the cores only in batches', () => {
  assert.equal(roomAhead({ cores: 2, ahead: 0, inHand: 1 }), 1);
  assert.equal(roomAhead({ cores: 2, ahead: 0, inHand: 2 }), 0);
  assert.equal(roomAhead({ cores: 2, ahead: 100, inHand: 0 }), 102);
  assert.equal(roomAhead({ cores: 2, ahead: 100, inHand: 60 }), 0);
  assert.equal(roomAhead({ cores: 2, ahead: 100, inHand: 52 }), 50);
  assert.equal(roomAhead({ cores: 2, ahead: 1, inHand: 40 }), 0);
});

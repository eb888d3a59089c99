import assert from 'node:assert/strict';
import { test } from 'node:test';
import { validateChoice } from '../../src/core/eviction/validate-choice.ts';
import { GuardedDecider, type GuardedOptions } from '../../src/decisions/guarded.ts';
import { checkCase } from '../../src/lab/check-cases.ts';

const folder = new URL('plugins/', import.meta.url).pathname;
const situation = checkCase(1);

async function decided(algorithm: string, options: Partial<GuardedOptions> = {}) {
  const decider = new GuardedDecider({ algorithm, folder, ...options });
  try {
    const result = await decider.decide(situation.facts, situation.past.log);
    assert.deepEqual(validateChoice(situation.facts, result.choice).problems, []);
    return result;
  } finally {
    await decider.close();
  }
}

test('a shipped algorithm decides in place', async () => {
  const { by, refused, reason } = await decided('hamr');
  assert.equal(by, 'hamr');
  assert.equal(refused, undefined);
  assert.match(reason, /least compute time/);
});

test('a plug-in that throws is replaced by the fallback, and its words are kept', async () => {
  const { by, refused } = await decided('./throws.mjs');
  assert.equal(by, 'gdsf');
  assert.equal(refused?.code, 'DECISION_PLUGIN_FAILED');
  assert.match(refused?.message ?? '', /no opinion today/);
});

test('a plug-in that hangs is stopped and replaced', async () => {
  const { by, refused } = await decided('./hangs.mjs', { limits: { timeMs: 300, memoryMegabytes: 64 } });
  assert.equal(by, 'gdsf');
  assert.equal(refused?.code, 'DECISION_PLUGIN_TIMEOUT');
});

test('a plug-in that ends the process only ends its own thread', async () => {
  const { by, refused } = await decided('./exits.mjs');
  assert.equal(by, 'gdsf');
  assert.match(refused?.message ?? '', /its thread ended/);
});

test('a plug-in that eats all memory is stopped', async () => {
  const { by, refused } = await decided('./greedy-memory.mjs', {
    limits: { timeMs: 60_000, memoryMegabytes: 32 },
  });
  assert.equal(by, 'gdsf');
  assert.match(refused?.message ?? '', /memory/);
});

test('nonsense of every kind is refused, and the plug-in is asked again the next time', async () => {
  const decider = new GuardedDecider({ algorithm: './nonsense.mjs', folder });
  try {
    for (const expected of [/is a result/, /dataset/, /no dataset/, /no list/, /no list/]) {
      const { by, refused } = await decider.decide(situation.facts, situation.past.log);
      assert.equal(by, 'gdsf');
      assert.equal(refused?.code, 'DECISION_CHOICE_REFUSED');
      assert.match(refused?.message ?? '', expected);
    }
  } finally {
    await decider.close();
  }
});

test('a plug-in keeps its state from decision to decision and sees each event once', async () => {
  const decider = new GuardedDecider({ algorithm: './counts-runs.mjs', folder, settings: { start: 100 } });
  try {
    const first = await decider.decide(situation.facts, situation.past.log);
    const second = await decider.decide(situation.facts, situation.past.log);
    assert.equal(first.by, './counts-runs.mjs');
    assert.equal(first.choice.score?.[0], 100 + situation.past.log.runs);
    assert.equal(second.choice.score?.[0], 100 + situation.past.log.runs);
  } finally {
    await decider.close();
  }
});

test('a plug-in that is not there or is none leaves the decision to the fallback', async () => {
  assert.equal((await decided('./nowhere.mjs')).refused?.code, 'DECISION_PLUGIN_MISSING');
  assert.equal((await decided('no-such-package')).refused?.code, 'DECISION_PLUGIN_MISSING');
  const { refused } = await decided('./not-an-algorithm.mjs');
  assert.match(refused?.message ?? '', /"decide" must be a function/);
});

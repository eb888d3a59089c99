import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Choice, DecisionAlgorithm } from '../../src/core/ports/decision-algorithm.ts';
import { lru } from '../../src/decisions/lru.ts';
import { checkAlgorithm, type checkRules } from '../../src/lab/check-algorithm.ts';
import { checkModule } from '../../src/lab/check-module.ts';

const plugin = (name: string) => new URL(`../decisions/plugins/${name}.mjs`, import.meta.url).href;
const bad = (change: Partial<DecisionAlgorithm>): DecisionAlgorithm => ({ ...lru, ...change });
const rulesOf = (algorithm: DecisionAlgorithm) => [
  ...new Set(checkAlgorithm(algorithm, { cases: 10 }).map(({ rule }) => rule)),
];
const asked = (facts: Parameters<typeof lru.decide>[0]): Choice => lru.decide(facts, undefined);

test('each broken rule is found', () => {
  let calls = 0;
  const cases: [keyof typeof checkRules, DecisionAlgorithm][] = [
    ['shape', bad({ decide: undefined as never })],
    ['shape', bad({ name: '' })],
    ['shape', bad({ observe: 'yes' as never })],
    ['shape', undefined as never],
    ['answers', bad({ decide: () => assert.fail('never') })],
    ['valid', bad({ decide: ({ known }) => ({ giveUp: [...Array(known.count).keys()] }) })],
    ['valid', bad({ decide: () => ({ giveUp: [] }) })],
    ['columns', bad({ decide: (facts) => ({ ...asked(facts), score: [1, 2, 3, 4, 5, 6, 7] }) })],
    [
      'repeatable',
      bad({
        decide(facts) {
          const list = Array.from(asked(facts).giveUp);
          return { giveUp: calls++ % 2 === 0 ? list : list.reverse() };
        },
      }),
    ],
    [
      'leaves facts alone',
      bad({
        decide(facts) {
          const choice = asked(facts);
          facts.known.uses[0]! += 1;
          return choice;
        },
      }),
    ],
    ['cloneable', bad({ init: () => ({ remember: () => 1 }) })],
  ];
  for (const [rule, algorithm] of cases) assert.ok(rulesOf(algorithm).includes(rule), rule);
});

test('an algorithm that ranks by number is found to depend on the numbering', () => {
  const byNumber = bad({
    decide(facts) {
      const renamed = { ...facts, known: { ...facts.known, count: facts.known.count } };
      renamed.known.lastAccessAt = Float64Array.from({ length: facts.known.count }, (_, d) => d);
      return asked(renamed);
    },
  });
  assert.deepEqual(rulesOf(byNumber), ['numbering does not matter']);
});

test('the example policy passes', async () => {
  const example = new URL('../../examples/lab/my-policy.mjs', import.meta.url).href;
  assert.deepEqual(await checkModule(example, { cases: 30 }), []);
});

test('a module is checked in a thread: good ones pass, hanging ones are stopped', async () => {
  const progress: number[] = [];
  const passed = await checkModule(plugin('counts-runs'), {
    cases: 5,
    onProgress: (done) => progress.push(done),
  });
  assert.ok(passed.every(({ rule }) => rule === 'numbering does not matter'));
  assert.deepEqual(progress, [1, 2, 3, 4, 5]);
  const [hung] = await checkModule(plugin('hangs'), { cases: 5, limitMs: 1500 });
  assert.match(hung!.problem, /no answer within 1500 ms/);
  const [missing] = await checkModule(plugin('no-such-file'), { cases: 5 });
  assert.equal(missing!.rule, 'shape');
  const [threw] = await checkModule(plugin('throws'), { cases: 5 });
  assert.match(threw!.problem, /no opinion today/);
});

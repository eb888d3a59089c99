import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { rankCandidates, takeUntilFree } from '../../../src/core/eviction/candidates.ts';
import { DecisionHistory } from '../../../src/core/eviction/decision-history.ts';
import { explainChoice } from '../../../src/core/eviction/explain-choice.ts';
import { type ChoiceFault, validateChoice } from '../../../src/core/eviction/validate-choice.ts';
import { type DecisionFacts, datasetMarks } from '../../../src/core/ports/decision-algorithm.ts';

/** Stored datasets of the given sizes without edges, none of them a result. */
function factsOf(sizes: readonly number[], bytesToFree: number): DecisionFacts {
  const past = new DecisionHistory();
  for (const [i, sizeBytes] of sizes.entries()) {
    past.table.add({ identity: i, sizeBytes, computeSeconds: 1, parents: [] });
    past.table.mark(i, datasetMarks.stored);
  }
  return past.facts(0, bytesToFree);
}

const faultsOf = (facts: DecisionFacts, giveUp: unknown): ChoiceFault[] =>
  validateChoice(facts, { giveUp } as never).problems.map(({ fault }) => fault);

test('taking in order frees enough, keeps what the slack allows, and passes validation', () => {
  const sizes = fc.array(fc.integer({ min: 0, max: 50 }), { minLength: 1, maxLength: 30 });
  fc.assert(
    fc.property(sizes, fc.integer({ min: 0, max: 800 }), (list, wanted) => {
      const facts = factsOf(list, wanted);
      const giveUp = takeUntilFree(
        facts,
        rankCandidates(facts.known, (d) => d % 3),
      );
      const checked = validateChoice(facts, { giveUp });
      assert.deepEqual(checked.problems, []);
      const total = list.reduce((sum, size) => sum + size, 0);
      assert.equal(checked.shortfallBytes, Math.max(0, wanted - total));
    }),
  );
});

test('every kind of bad choice is named', () => {
  const facts = factsOf([10, 10, 10, 10, 10, 10], 20);
  const { marks } = facts.known;
  marks[2] = datasetMarks.stored | datasetMarks.claimed;
  marks[3] = datasetMarks.stored | datasetMarks.leaf;
  marks[4] = datasetMarks.stored | datasetMarks.pinned;
  marks[5] = 0;
  assert.deepEqual(faultsOf(facts, [0, 1]), []);
  assert.deepEqual(faultsOf(facts, [0, 2]), ['claimed', 'too-little']);
  assert.deepEqual(faultsOf(facts, [0, 3]), ['leaf', 'too-little']);
  assert.deepEqual(faultsOf(facts, [0, 4]), ['pinned', 'too-little']);
  assert.deepEqual(faultsOf(facts, [0, 5]), ['not-stored', 'too-little']);
  assert.deepEqual(faultsOf(facts, [0, 0]), ['twice', 'too-little']);
  assert.deepEqual(faultsOf(facts, [0, 9]), ['unknown', 'too-little']);
  assert.deepEqual(faultsOf(facts, [0, 1.5]), ['unknown', 'too-little']);
  assert.deepEqual(faultsOf(facts, [0]), ['too-little']);
  assert.deepEqual(faultsOf({ ...facts, bytesToFree: 10 }, [0, 1]), ['too-much']);
  assert.deepEqual(faultsOf({ ...facts, bytesToFree: 0 }, [0]), ['too-much']);
  assert.deepEqual(faultsOf(facts, 'all'), ['malformed']);
  assert.deepEqual(faultsOf(facts, ['0']), ['malformed']);
  assert.deepEqual(faultsOf(facts, undefined), ['malformed']);
});

test('when nothing more can go the shortfall is reported and is no fault', () => {
  const facts = factsOf([10, 10], 50);
  assert.deepEqual(validateChoice(facts, { giveUp: [1, 0] }), {
    problems: [],
    freedBytes: 20,
    shortfallBytes: 30,
  });
});

test('non-deterministic datasets go only when nothing else suffices', () => {
  const facts = factsOf([10, 10, 10], 20);
  facts.known.marks[0] = datasetMarks.stored | datasetMarks.nondeterministic;
  assert.deepEqual(
    takeUntilFree(
      facts,
      rankCandidates(facts.known, (d) => d),
    ),
    [1, 2],
  );
});

test('a price tag names bytes, seconds with missing ancestors, uses and the reason', () => {
  const past = new DecisionHistory();
  for (const parents of [[], [0], [1]]) {
    past.table.add({ identity: 1, sizeBytes: 100, computeSeconds: 5, parents });
  }
  past.recordRun({ at: 0, members: [0, 1, 2], results: [2], computed: [0, 1, 2] });
  past.recordGivenUp(1, [0]);
  const [tag] = explainChoice(past.facts(2, 100), { giveUp: [1], reuseRate: [0.25] }, 'is the largest');
  assert.equal(tag?.recomputeSeconds, 10);
  assert.equal(
    tag?.text,
    'it is the largest: frees 100 bytes; 10 s to recompute now; never used again, last wanted in the latest run; expected 0.25 uses per run',
  );
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deserialize, serialize } from 'node:v8';
import { DatasetTable, isAvailable, isCandidate } from '../../../src/core/eviction/dataset-table.ts';
import { DecisionHistory } from '../../../src/core/eviction/decision-history.ts';
import { HistoryLog } from '../../../src/core/eviction/history-log.ts';
import { datasetMarks } from '../../../src/core/ports/decision-algorithm.ts';

const dataset = (parents: number[] = []) => ({ identity: 1, sizeBytes: 10, computeSeconds: 2, parents });

/** a → b → c, run once with result c; then a → b → d. */
function twoRuns(): DecisionHistory {
  const past = new DecisionHistory();
  past.table.add(dataset());
  past.table.add(dataset([0]));
  past.table.add(dataset([1]));
  past.recordRun({ at: 1000, members: [0, 1, 2], results: [2], computed: [0, 1, 2] });
  past.table.add(dataset([1]));
  past.recordRun({ at: 2000, members: [0, 1, 3], results: [3], computed: [3] });
  return past;
}

test('a run demands earlier datasets that feed something new, and no others', () => {
  const past = twoRuns();
  assert.deepEqual([...past.table.uses.slice(0, 4)], [0, 1, 0, 0]);
  assert.deepEqual([...past.table.lastDemandRun.slice(0, 4)], [0, 1, 0, 1]);
  const event = past.log.event(1);
  assert.equal(event.kind, 'run');
  assert.deepEqual(event.kind === 'run' && [...event.demanded], [1]);
});

test('a result that was there before is demanded, a forced member only makes its parents demanded', () => {
  const past = twoRuns();
  const again = past.recordRun({ at: 3000, members: [0, 1, 2], results: [2], computed: [] });
  assert.deepEqual([...again], [2]);
  const forced = past.recordRun({ at: 4000, members: [0, 1, 2], results: [2], forced: [2], computed: [2] });
  assert.deepEqual([...forced], [1]);
});

test('computed datasets are stored, results are leaves, what is given up is neither', () => {
  const past = twoRuns();
  assert.ok(isCandidate(past.table.marks[0]!));
  assert.ok(!isCandidate(past.table.marks[2]!) && isAvailable(past.table.marks[2]!));
  past.recordGivenUp(5000, [0]);
  assert.ok(!isAvailable(past.table.marks[0]!));
});

test('a snapshot goes through serialisation and continues where it stopped', () => {
  const past = twoRuns();
  const copy = new DecisionHistory(deserialize(serialize(past.snapshot())));
  for (const one of [past, copy]) {
    one.table.add(dataset([1, 0]));
    one.recordRun({ at: 6000, members: [0, 1, 4], results: [4], computed: [4] });
  }
  assert.deepEqual(copy.snapshot(), past.snapshot());
});

test('the window holds the datasets of the last actions, oldest first, and no more than there are', () => {
  const past = twoRuns();
  past.recordGivenUp(2500, [0]);
  assert.deepEqual([...past.log.window(4)], [2, 0, 1, 3]);
  assert.deepEqual([...past.log.window(100)], [0, 1, 2, 0, 1, 3]);
});

test('a log can be cut and the rest appended elsewhere', () => {
  const past = twoRuns();
  past.recordGivenUp(2500, [0, 1]);
  const rest = HistoryLog.from(past.log.columns(1));
  assert.equal(rest.count, 2);
  assert.deepEqual(rest.event(0), past.log.event(1));
  assert.deepEqual(rest.event(1), past.log.event(2));
});

test('tables and logs grow past their first size', () => {
  const past = new DecisionHistory();
  for (let i = 0; i < 300; i += 1) {
    past.table.add(dataset(i > 1 ? [i - 1, i - 2] : []));
    past.recordRun({ at: i, members: [i], results: [i], computed: [i] });
  }
  assert.equal(past.table.count, 300);
  assert.deepEqual(
    [...past.table.parents.slice(past.table.parentStart[299]!, past.table.parentStart[300]!)],
    [298, 297],
  );
  const event = past.log.event(299);
  assert.deepEqual(event.kind === 'run' && [...event.members], [299]);
});

test('a parent that is not known is refused', () => {
  assert.throws(() => new DatasetTable().add(dataset([0])), RangeError);
});

test('planned datasets are available and not candidates', () => {
  assert.ok(isAvailable(datasetMarks.planned));
  assert.ok(!isCandidate(datasetMarks.planned | datasetMarks.stored));
});

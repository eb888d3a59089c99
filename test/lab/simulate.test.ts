import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { DecisionHistory } from '../../src/core/eviction/decision-history.ts';
import { shippedModule } from '../../src/decisions/shipped.ts';
import { bound } from '../../src/lab/bound.ts';
import { writeHistory } from '../../src/lab/history-file.ts';
import { familySources, generateHistory } from '../../src/lab/history-source.ts';
import { renderReport } from '../../src/lab/report/render-report.ts';
import { type AlgorithmSource, type SimulateOptions, simulate } from '../../src/lab/simulate.ts';
import { siteHistory } from '../../src/lab/site-history.ts';
import { boundMeansOf, compare, meansOf, pooled } from '../../src/lab/summary.ts';

const folder = mkdtempSync(join(tmpdir(), 'varve-lab-'));
after(() => rmSync(folder, { recursive: true }));

const shipped = (name: string): AlgorithmSource => ({ name, module: shippedModule(name)! });
const small = (family: string) => (family === 'sweep' ? { runs: 40 } : { actions: 200 });
const options: SimulateOptions = {
  sources: familySources(['thesis', 'sweep'], [11, 12], small),
  algorithms: [shipped('hamr'), shipped('lru'), { name: 'random', module: 'lab:random' }],
  budgets: [{ share: 0.05 }, { share: 0.2 }],
  boundSteps: 10,
  traceBudget: { share: 0.1 },
};

/** Results without what depends on the machine. */
function timeless(value: unknown): string {
  return JSON.stringify(value, (key, inner) => (/[dD]ecisionSeconds$/.test(key) ? 0 : inner));
}

test('results do not depend on the number of threads, and every figure is consistent', async () => {
  const progress: string[] = [];
  const one = await simulate({
    ...options,
    threads: 1,
    onProgress: (done, total) => progress.push(`${done}/${total}`),
  });
  const two = await simulate({ ...options, threads: 2 });
  assert.equal(timeless(one), timeless(two));
  assert.deepEqual(progress, ['1/4', '2/4', '3/4', '4/4']);
  assert.equal(one.cells.length, 8);
  for (const { cell, rows } of one.cells) {
    assert.ok(cell.unlimitedSeconds <= cell.lowerSeconds! + 1e-6);
    assert.ok(cell.lowerSeconds! <= cell.upperSeconds! + 1e-6);
    for (const row of rows) {
      assert.ok(Math.abs(row.totalSeconds - cell.unlimitedSeconds - row.recomputeSeconds) < 1e-3);
      assert.ok(row.regret >= 0 && row.regret <= 1);
      assert.ok(row.idealOverActual <= 1 + 1e-9);
      assert.ok(row.byteHitRate >= 0 && row.byteHitRate <= 1 && row.costHitRate >= 0 && row.costHitRate <= 1);
    }
  }
  assert.equal(one.traces.length, 6);
});

test('summaries pool families alike and comparisons count every history', async () => {
  const results = await simulate({ ...options, traceBudget: undefined });
  const means = meansOf(results);
  const of = (family: string) =>
    means.find((m) => m.family === family && m.budget === '5 %' && m.algorithm === 'hamr')!;
  const average = (of('thesis').regret + of('sweep').regret) / 2;
  assert.ok(Math.abs(of(pooled).regret - average) < 1e-12);
  const against = compare(results, 'hamr', 'lru', '5 %');
  assert.equal(against.wins + against.losses + against.ties, 4);
  const [low, high] = against.interval ?? assert.fail('two histories of a family give an interval');
  assert.ok(low <= against.lessRegret && against.lessRegret <= high);
  const single = {
    ...results,
    cells: results.cells.filter(({ cell }) => cell.seed === results.cells[0]?.cell.seed),
  };
  assert.equal(compare(single, 'hamr', 'lru', '5 %').interval, undefined);
  assert.deepEqual(compare(results, 'hamr', 'lru', '5 %'), against);
  assert.ok(boundMeansOf(results).every((b) => b.lowerRegret <= b.upperRegret + 1e-9));
});

test('the report is one file that refers to nothing outside and shows every family, algorithm and budget', async () => {
  const results = await simulate(options);
  const html = renderReport(results, { title: 'A <test> & more', command: 'varve lab simulate' });
  assert.ok(html.includes('A &#60;test&#62; &#38; more'));
  assert.ok(!/<(script|link|img|iframe)|url\(|src=|href=|@import/i.test(html));
  for (const word of [
    'thesis',
    'sweep',
    'hamr',
    'lru',
    'random',
    '5 %',
    '20 %',
    'prefers-color-scheme',
    '@media print',
  ]) {
    assert.ok(html.includes(word), word);
  }
  assert.ok(!/NaN|undefined|Infinity/.test(html));
});

test('a history file is replayed under a budget in bytes, also without bounds', async () => {
  const path = join(folder, 'h.jsonl');
  const history = generateHistory({ family: 'sweep', seed: 4, parameters: { runs: 30 } });
  writeFileSync(path, [...writeHistory(history)].join('\n'));
  const results = await simulate({
    sources: [{ kind: 'file', path }],
    algorithms: [shipped('gdsf')],
    budgets: [{ bytes: 2e9 }],
    bounds: false,
  });
  assert.equal(results.cells[0]!.cell.upperSeconds, undefined);
  assert.equal(results.cells[0]!.cell.budgetBytes, 2e9);
  assert.ok(renderReport(results).includes('2 GB'));
});

test('a failure in a thread comes back as one clear error', async () => {
  const broken = join(folder, 'broken.mjs');
  writeFileSync(broken, "export default { name: 'broken', reason: '', decide: () => ({ giveUp: [0] }) };");
  const algorithms = [{ name: 'broken', module: pathToFileURL(broken).href }];
  await assert.rejects(simulate({ ...options, algorithms }), /"broken" made an invalid choice after run \d+/);
  const sources = [{ kind: 'file' as const, path: join(folder, 'none.jsonl') }];
  await assert.rejects(simulate({ ...options, sources }), /cannot read .*none\.jsonl: ENOENT/);
});

test('a simulation can be stopped', async () => {
  const stop = new AbortController();
  const stopped = simulate({ ...options, signal: stop.signal, onProgress: () => stop.abort() });
  await assert.rejects(stopped, { code: 'LAB_STOPPED' });
});

test('bounds of one history are ordered and small ones are exact', () => {
  const parameters = { actions: 24 };
  const report = bound({
    source: { kind: 'family', family: 'thesis-sparse', seed: 2, parameters },
    budgets: [{ share: 0.2 }],
  });
  const [only] = report.budgets;
  assert.equal(only!.name, '20 %');
  assert.ok(only!.lowerSeconds <= only!.upperSeconds);
  assert.ok(only!.optimalSeconds! <= only!.upperSeconds + 1e-6);
});

test('what production remembers becomes a history that the laboratory can replay', () => {
  const past = new DecisionHistory();
  past.table.add({ identity: 1, sizeBytes: 5, computeSeconds: 1, parents: [] });
  past.table.add({ identity: 2, sizeBytes: 6, computeSeconds: 2, parents: [0] });
  past.recordRun({ at: 10, members: [0, 1], results: [1], computed: [0, 1] });
  past.recordGivenUp(20, [0]);
  const history = siteHistory(past, ['sig-a', 'sig-b']);
  assert.deepEqual(history.labels, ['sig-a', 'sig-b']);
  assert.equal(history.runs.length, 1);
  assert.equal(history.runs[0]!.at, 10);
});

// Writes a made-up past into a store as if it had happened there: datasets, lineage, claims of results, recorded history.
import { candidatesOf } from '../../src/core/eviction/candidates.ts';
import { encodeIds } from '../../src/core/id-ranges.ts';
import { datasetMarks } from '../../src/core/ports/decision-algorithm.ts';
import type { NewHistoryEvent } from '../../src/core/ports/history.ts';
import type { Session, Value } from '../../src/store/database.ts';
import { migrate } from '../../src/store/migrate.ts';
import { openDatabase } from '../../src/store/open-database.ts';
import { createStore } from '../../src/store/store.ts';
import { makePast, type Setting } from './past.ts';

const rowsAtOnce = 20_000;
/** About what a small action's node and definition take. */
const node = JSON.stringify({ key: 'align', type: 'command', spec: { argv: ['x'.repeat(300)] }, policy: {} });
const definition = JSON.stringify({ type: 'command', identity: 'y'.repeat(200) });

export async function fillStore(url: string, setting: Setting): Promise<void> {
  const past = makePast(setting);
  const { table, log } = past;
  const database = await openDatabase(url);
  try {
    await migrate(database, url, Date.now());
    const write = (body: (session: Session) => Promise<void>) =>
      database.transaction(body, { durable: false });
    const insertAll = async (name: string, columns: Columns, rows: Iterable<Value[]>) => {
      for (const part of inParts(rows)) await write((session) => session.insert(name, columns, part));
    };
    await insertAll('dataset', datasetColumns, datasetRows());
    await insertAll(
      'lineage',
      { dataset_id: 'int', slot: 'text', position: 'text', parent_id: 'int' },
      links(),
    );
    await insertAll('edge', edgeColumns, claims());
    const store = createStore(database, url);
    for (const part of inParts(events())) await store.write((tx) => tx.appendHistory(part));
    await insertAll('dataset_total', { state: 'text', count: 'int', bytes: 'int' }, totals());
    await write(async (session) => {
      await session.all("update counter set value = $1 where name = 'dataset'", [table.count]);
    });
    await database.reader.all(database.dialect.name === 'sqlite' ? 'analyze' : 'vacuum analyze');
  } finally {
    await database.close();
  }

  function* datasetRows(): Generator<Value[]> {
    for (let d = 0; d < table.count; d += 1) {
      const marks = table.marks[d]!;
      const [prior, state] =
        (marks & datasetMarks.leaf) !== 0
          ? ['TO_LEAF', 'LEAF']
          : (marks & datasetMarks.stored) !== 0
            ? ['TO_STORE', 'STORED']
            : ['DELETING', 'DELETED'];
      // The store tells signatures apart by their beginning.
      const [identity, number] = [table.identity[d]!, d].map((part) => part.toString(16).padStart(8, '0'));
      const signature = `${identity}${number}`.padEnd(64, '0');
      const [size, ms] = [table.sizeBytes[d]!, Math.round(table.computeSeconds[d]! * 1000)];
      yield [
        d + 1,
        signature,
        'shared',
        definition,
        node,
        `step-${d % 50}`,
        `objects/${d}`,
        size,
        signature,
        ms,
        0,
        state!,
        prior!,
      ];
    }
  }

  function* totals(): Generator<Value[]> {
    const candidates = candidatesOf(table);
    yield ['STORED', candidates.length, candidates.reduce((sum, d) => sum + table.sizeBytes[d]!, 0)];
  }

  function* links(): Generator<Value[]> {
    for (let d = 0; d < table.count; d += 1) {
      for (let i = table.parentStart[d]!; i < table.parentStart[d + 1]!; i += 1) {
        yield [d + 1, `in${i - table.parentStart[d]!}`, '', table.parents[i]! + 1];
      }
    }
  }

  function* claims(): Generator<Value[]> {
    for (let d = 0; d < table.count; d += 1) {
      if ((table.marks[d]! & datasetMarks.leaf) !== 0) yield ['run', d + 1, 'result', '', d + 1, 'HELD'];
    }
  }

  function* events(): Generator<NewHistoryEvent> {
    const ids = (numbers: Int32Array) => encodeIds(Array.from(numbers, (d) => d + 1));
    for (let i = 0; i < log.count; i += 1) {
      const event = log.event(i);
      const run = event.kind === 'run';
      yield {
        kind: event.kind,
        at: event.at,
        runId: run ? i + 1 : null,
        workflow: 'bench',
        userName: 'ann',
        realm: 'shared',
        submittedAt: event.at,
        datasets: ids(run ? event.members : event.datasets),
        results: run ? ids(event.results) : '',
        computed: run ? ids(event.computed) : '',
        forced: '',
        computedCount: run ? event.computed.length : 0,
        reusedCount: 0,
        computedMs: 0,
        savedMs: 0,
        paidMs: 0,
      };
    }
  }
}

function* inParts<T>(rows: Iterable<T>): Generator<T[]> {
  let part: T[] = [];
  for (const row of rows) {
    if (part.push(row) < rowsAtOnce) continue;
    yield part;
    part = [];
  }
  if (part.length > 0) yield part;
}

type Columns = Readonly<Record<string, 'int' | 'text' | 'real'>>;

const datasetColumns: Columns = {
  id: 'int',
  signature: 'text',
  realm: 'text',
  definition: 'text',
  node: 'text',
  name: 'text',
  location: 'text',
  size_bytes: 'int',
  digest: 'text',
  compute_ms: 'int',
  created_at: 'int',
  state: 'text',
  prior: 'text',
};
const edgeColumns: Columns = {
  holder: 'text',
  holder_id: 'int',
  slot: 'text',
  position: 'text',
  dataset_id: 'int',
  state: 'text',
};

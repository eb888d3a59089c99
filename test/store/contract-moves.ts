// I1: a state changes only along its table, by compare-and-set, with a journal row in the same transaction.
import assert from 'node:assert/strict';
import { type MachineName, machines } from '../../src/core/machines/all.ts';
import { legalPairs, type Machine, statesOf } from '../../src/core/machines/machine.ts';
import type { Database, Value } from '../../src/store/database.ts';
import { epoch } from './rows.ts';
import type { Section } from './section.ts';

const names = Object.keys(machines) as MachineName[];
const by = { actor: 'tester', at: epoch };

/** The columns without a default of each table, besides the token. */
const needed: Record<MachineName, (id: number) => Record<string, Value>> = {
  run: (id) => ({
    name: 'r',
    language: 'varve',
    user_name: 'u',
    realm: 'r',
    failure_policy: 'stop',
    submission_key: `k${id}`,
    submitted_at: epoch,
  }),
  action: (id) => ({
    run_id: 7,
    key: `k${id}`,
    name: 'a',
    type: 't',
    node: '{}',
    signature: 's',
    reason: '{}',
    created_at: epoch,
    owner: 'w',
  }),
  attempt: (id) => ({
    action_id: id,
    number: 1,
    key: `k${id}`,
    backend: 'b',
    worker: 'w',
    submitted_at: epoch,
  }),
  dataset: (id) => ({
    signature: `s${id}`,
    realm: 'r',
    definition: '{}',
    node: '{}',
    name: 'd',
    location: `l${id}`,
    digest: 'd',
    size_bytes: 10,
    created_at: epoch,
  }),
  worker: (id) => ({
    name: `w${id}`,
    roles: 'worker',
    host: 'h',
    boot: 'b',
    pid: 1,
    process_started: '0',
    program_version: '1',
    joined_at: epoch,
    seen_at: epoch,
  }),
  schedule: (id) => ({
    name: `s${id}`,
    user_name: 'u',
    realm: 'r',
    timing: 't',
    workflow: 'w',
    created_at: epoch,
  }),
  event: () => ({ run_id: 7, job: 'j', input: 'i', created_at: epoch }),
};

/** A way into the state that the table allows. */
function priorOf(machine: Machine, state: string): string {
  if (machine.initial.includes(state)) return '';
  const pair = legalPairs(machine).find(([, to]) => to === state);
  assert.ok(pair, `nothing leads to ${state}`);
  return pair[0];
}

async function insertRaw(
  database: Database,
  name: MachineName,
  rows: readonly { readonly id: number; readonly state: string; readonly prior: string }[],
): Promise<void> {
  await database.transaction(
    async (session) => {
      for (const row of rows) {
        const values: Record<string, Value> = { ...needed[name](row.id), ...row };
        const columns = Object.keys(values);
        const marks = columns.map((_, i) => `$${i + 1}`).join(', ');
        await session.all(
          `insert into ${name} (${columns.join(', ')}) values (${marks})`,
          Object.values(values),
        );
      }
    },
    { durable: false },
  );
}

async function stateOf(
  database: Database,
  name: MachineName,
  id: number,
): Promise<{ state: string; version: number } | undefined> {
  const rows = await database.reader.all<{ state: string; version: number }>(
    `select state, version from ${name} where id = $1`,
    [id],
  );
  return rows[0];
}

const everyPair = Object.fromEntries(
  names.map((name) => [
    `every event of the ${name} machine moves exactly from the states of its table`,
    async ({ store, database }) => {
      const machine: Machine = machines[name];
      const pairs = statesOf(machine).flatMap((state) =>
        Object.keys(machine.events).map((event) => [state, event]),
      );
      const rows = pairs.map(([state = ''], i) => ({ id: i + 1, state, prior: priorOf(machine, state) }));
      await insertRaw(database, name, rows);
      const results = await Promise.all(
        pairs.map(([, event = ''], i) =>
          store.write((tx) => tx.move(name, event as never, [{ id: i + 1, detail: { pair: i } }], by)),
        ),
      );
      const journal = await store.view.journal({ limit: 1000 });
      for (const [i, [state = '', event = '']] of pairs.entries()) {
        const to = machine.events[event]?.moves[state];
        const entries = journal.filter((entry) => entry.entityId === i + 1);
        const now = await stateOf(database, name, i + 1);
        if (to === undefined) {
          assert.deepEqual(results[i], [], `${event} in ${state}`);
          assert.deepEqual(now, { state, version: 1 });
          assert.deepEqual(entries, []);
        } else {
          const runId = { action: 7, event: 7, run: i + 1 }[name as string] ?? null;
          assert.partialDeepStrictEqual(results[i]?.[0], { id: i + 1, from: state, to, version: 2, runId });
          assert.deepEqual(now, { state: to, version: 2 });
          assert.partialDeepStrictEqual(entries, [
            { at: epoch, machine: name, runId, event, fromState: state, toState: to, actor: 'tester' },
          ]);
          assert.equal(entries[0]?.detail, `{"pair":${i}}`);
          assert.equal(entries.length, 1);
        }
      }
    },
  ]),
) satisfies Section;

const everyRefusal = Object.fromEntries(
  names.map((name) => [
    `the schema refuses every other move of a ${name} and every other birth`,
    async ({ database }) => {
      const machine: Machine = machines[name];
      const legal = new Set(legalPairs(machine).map(([from, to]) => `${from}>${to}`));
      const states = statesOf(machine);
      let id = 0;
      for (const state of states) {
        const birth = insertRaw(database, name, [{ id: ++id, state, prior: '' }]);
        if (machine.initial.includes(state)) await birth;
        else await assert.rejects(birth, { code: 'STORE_CONFLICT' }, `born ${state}`);
        for (const to of states) {
          await insertRaw(database, name, [{ id: ++id, state, prior: priorOf(machine, state) }]);
          const update = database.reader.all(`update ${name} set prior = state, state = $2 where id = $1`, [
            id,
            to,
          ]);
          if (legal.has(`${state}>${to}`)) await update;
          else await assert.rejects(update, { code: 'STORE_CONFLICT' }, `${state} to ${to}`);
        }
        const unknown = database.reader.all(`update ${name} set prior = state, state = 'X' where id = $1`, [
          id,
        ]);
        await assert.rejects(unknown, { code: 'STORE_CONFLICT' });
      }
    },
  ]),
) satisfies Section;

export const moves: Section = {
  ...everyPair,
  ...everyRefusal,
  async 'a move with an outdated version or fence changes nothing'({ store, database }) {
    await insertRaw(database, 'action', [{ id: 1, state: 'PROCESSING', prior: 'READY' }]);
    const submit = (condition: { fence?: number; version?: number }) =>
      store.write((tx) => tx.move('action', 'submit', [{ id: 1, ...condition }], by));
    assert.deepEqual(await submit({ version: 2 }), []);
    assert.deepEqual(await submit({ fence: 3 }), []);
    assert.deepEqual(await submit({ fence: 0, version: 2 }), []);
    assert.equal((await submit({ fence: 0, version: 1 })).length, 1);
    assert.equal((await store.view.journal({ limit: 9 })).length, 1);
  },
  async 'many rows move in one call, each with its own columns, and the others are left out'({
    store,
    database,
  }) {
    const rows = Array.from({ length: 300 }, (_, i) => ({
      id: i + 1,
      state: i % 3 === 0 ? 'FINISHED' : 'PROCESSING',
      prior: i % 3 === 0 ? 'RUNNING' : 'READY',
    }));
    await insertRaw(database, 'action', rows);
    const wanted = rows.map(({ id }) => ({ id, set: { endedAt: epoch + id, error: `it's "${id}"\n\t\\` } }));
    const moved = await store.write((tx) => tx.move('action', 'fail', wanted.reverse(), by));
    assert.equal(moved.length, 200);
    const found = await store.view.actions(rows.map(({ id }) => id));
    for (const row of found) {
      const failed = row.id % 3 !== 1;
      assert.equal(row.state, failed ? 'FAILED' : 'FINISHED');
      assert.equal(row.endedAt, failed ? epoch + row.id : null);
      assert.equal(row.error, failed ? `it's "${row.id}"\n\t\\` : null);
    }
  },
  async 'an action that is given back has no owner and may be taken at once'({ store, database }) {
    await insertRaw(database, 'action', [{ id: 1, state: 'PROCESSING', prior: 'READY' }]);
    await database.reader.all('update action set lease_until = $1 where id = 1', [epoch + 60_000]);
    await store.write((tx) => tx.move('action', 'release', [{ id: 1 }], by));
    const [row] = await store.view.actions([1]);
    assert.partialDeepStrictEqual(row, { owner: null, leaseUntil: 0, state: 'READY' });
  },
  async 'no way besides a move leads to a state column'({ store, database }) {
    await insertRaw(database, 'action', [{ id: 1, state: 'READY', prior: '' }]);
    for (const set of [{ state: 'FINISHED' }, { version: 9 }, { fence: 9 }, { prior: 'READY' }]) {
      await assert.rejects(
        store.write((tx) => tx.setActionColumns(1, set)),
        TypeError,
      );
    }
    assert.equal((await stateOf(database, 'action', 1))?.version, 1);
  },
};

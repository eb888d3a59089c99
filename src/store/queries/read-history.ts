// Reading the recorded history, and what is needed to record more of it: ended runs, their members, and datasets as decisions see them.

import { datasetMarks } from '../../core/ports/decision-algorithm.ts';
import type { DatasetSketch, HistoryEventRow, HistoryView } from '../../core/ports/history.ts';
import type { Param, Session } from '../database.ts';
import { oneOf } from '../one-of.ts';
import { columnOf, packedRows } from '../packed-rows.ts';
import { sameSignature } from '../short-signature.ts';
import { forgettable } from './forgettable.ts';

type HistoryReads = Pick<
  HistoryView,
  | 'historyEvents'
  | 'historyOfRuns'
  | 'unrecordedRuns'
  | 'firstUnrecordedRun'
  | 'runMembers'
  | 'runDatasets'
  | 'datasetSketches'
  | 'parentLinks'
  | 'presentDatasets'
  | 'presentDatasetsById'
  | 'presence'
  | 'claims'
  | 'compactableRuns'
  | 'attemptKeysOfRun'
  | 'forgettableDatasets'
>;

const eventColumns = `seq, kind, at, run_id as "runId", workflow, user_name as "userName", realm,
  submitted_at as "submittedAt", datasets, results, computed, forced, demanded, computed_count as "computedCount",
  reused_count as "reusedCount", computed_ms as "computedMs", saved_ms as "savedMs", paid_ms as "paidMs",
  compacted_at as "compactedAt"`;

// The limit is said twice, because PostgreSQL may read both indexes side by side: each from there on.
const unrecorded =
  'not exists (select 1 from history_event where history_event.run_id = run.id and history_event.run_id > $1)';

const presentColumns = `id, state, version, is_current as "isCurrent", name, keep, managed, size_bytes as "sizeBytes",
  compute_ms as "computeMs", nondeterministic, used_at as "usedAt", producer_id as "producerId"`;

const { stored, leaf, planned, pinned, nondeterministic } = datasetMarks;
const marks = `case state when 'STORED' then ${stored} when 'LEAF' then ${stored | leaf}
    when 'TO_STORE' then ${planned} else ${planned | leaf} end
  + case keep when 'always' then ${pinned} else 0 end + nondeterministic * ${nondeterministic}`;

export function readHistory(session: Session): HistoryReads {
  const { dialect } = session;
  return {
    historyEvents({ after, before, kind, realms, limit }) {
      const params: Param[] = [];
      const param = (value: Param): string => `$${params.push(value)}`;
      const conditions = ['1 = 1'];
      if (after !== undefined) conditions.push(`seq > ${param(after)}`);
      if (before !== undefined) conditions.push(`seq < ${param(before)}`);
      if (kind !== undefined) conditions.push(`kind = ${param(kind)}`);
      if (realms) conditions.push(dialect.among('realm', param(realms), 'text'));
      return session.all<HistoryEventRow>(
        `select ${eventColumns} from history_event where ${conditions.join(' and ')}
          order by seq ${before === undefined ? '' : 'desc'} limit ${param(limit)}`,
        params,
      );
    },
    async historyOfRuns(runIds) {
      const rows = await session.all<HistoryEventRow>(
        `select ${eventColumns} from history_event where ${dialect.among('run_id', '$1', 'int')}`,
        [runIds],
      );
      return rows.sort((a, b) => a.seq - b.seq);
    },
    unrecordedRuns: ({ after, limit }) =>
      session.all(
        `select id, name, user_name as "userName", realm, submitted_at as "submittedAt", ended_at as "endedAt"
          from run where id > $1 and ended_at is not null and ${unrecorded} order by ended_at, id limit $2`,
        [after, limit],
      ),
    async firstUnrecordedRun(after) {
      const rows = await session.all<{ id: number }>(
        `select id from run where id > $1 and ${unrecorded} order by id limit 1`,
        [after],
      );
      return rows[0]?.id;
    },
    runMembers: ({ id, realm }) =>
      session.all(
        `select action.id, action.name, action.expands, action.result, action.reason, action.state,
            coalesce(own.id, known.id) as "datasetId", coalesce(own.size_bytes, known.size_bytes) as "sizeBytes",
            coalesce(own.compute_ms, known.compute_ms) as "computeMs", coalesce(own.managed, known.managed) as managed
          from action left join dataset as own on own.id = action.dataset_id
            left join dataset as known on action.dataset_id is null and known.realm = $2 and known.is_current = 1
              and ${sameSignature('known.signature', 'action.signature')}
          where action.run_id = $1 order by action.id`,
        [id, realm],
      ),
    // `cross join` keeps SQLite, which knows nothing of how many rows there are, from beginning with all edges.
    runDatasets: (runId) =>
      session.all(
        `select distinct dataset.id as "datasetId", 0 as result
          from action cross join edge cross join dataset
          where action.run_id = $1 and edge.holder = 'action' and edge.holder_id = action.id
            and dataset.id = edge.dataset_id and dataset.size_bytes is not null
          union all
          select distinct dataset.id, 1 from edge join dataset on dataset.id = edge.dataset_id
          where edge.holder = 'run' and edge.holder_id = $1 and dataset.size_bytes is not null`,
        [runId],
      ),
    async datasetSketches(ids) {
      const rows = await session.all<
        Omit<DatasetSketch, 'canonical'> & { oldest: number | null; current: number | null }
      >(
        `select dataset.id, dataset.signature, dataset.realm, dataset.name, dataset.state,
            dataset.size_bytes as "sizeBytes", dataset.compute_ms as "computeMs",
            (select min(other.id) from dataset as other where ${sameSignature('other.signature', 'dataset.signature')}
              and other.realm = dataset.realm and other.is_current = 0) as oldest,
            case dataset.is_current when 1 then null else (
              select other.id from dataset as other where ${sameSignature('other.signature', 'dataset.signature')}
                and other.realm = dataset.realm and other.is_current = 1) end as current
          from dataset where ${dialect.among('dataset.id', '$1', 'int')} order by dataset.id`,
        [ids],
      );
      return rows.map(({ oldest, current, ...row }) => ({
        ...row,
        canonical: Math.min(row.id, oldest ?? row.id, current ?? row.id),
      }));
    },
    presentDatasets: ({ after, limit }) =>
      session.all(
        `select ${presentColumns} from dataset where id > $1 and state <> 'DELETED' order by id limit $2`,
        [after, limit],
      ),
    presentDatasetsById: (ids) =>
      session.all(
        `select ${presentColumns} from dataset where ${dialect.among('id', '$1', 'int')} and state <> 'DELETED'
          order by id`,
        [ids],
      ),
    async presence({ after, limit }) {
      const rows = await packedRows(
        session,
        `select id || ' ' || version || ' ' || (${marks}) as packed from dataset
          where id > $1 and ${oneOf('state', ['STORED', 'LEAF', 'TO_STORE', 'TO_LEAF'])} and state <> 'DELETED'
            and is_current = 1 and managed = 1 order by id limit $2`,
        [after, limit],
      );
      return {
        ids: columnOf(rows, 3, 0),
        versions: columnOf(rows, 3, 1),
        marks: Uint8Array.from(columnOf(rows, 3, 2)),
      };
    },
    async claims() {
      const rows = await packedRows(
        session,
        `select dataset_id || case holder when 'pin' then ' 1' else ' 0' end as packed from edge
          where ${oneOf('state', ['WAITING', 'HELD'])} and dataset_id > 0`,
        [],
      );
      return { datasetIds: columnOf(rows, 2, 0), pins: Uint8Array.from(columnOf(rows, 2, 1)) };
    },
    parentLinks: (datasetIds) =>
      packedRows(
        session,
        `select dataset_id || ' ' || parent_id as packed from lineage
          where ${dialect.among('dataset_id', '$1', 'int')}`,
        [datasetIds],
      ),
    async compactableRuns({ endedBefore, limit }) {
      const rows = await session.all<{ id: number }>(
        `select run_id as id from history_event where kind = 'run' and compacted_at is null and at < $1
          order by at limit $2`,
        [endedBefore, limit],
      );
      return rows.map((row) => row.id);
    },
    async forgettableDatasets({ before, unusedSince, limit }) {
      const rows = await session.all<{ id: number; forgettable: number }>(
        `select id, case when ${forgettable('$2')} then 1 else 0 end as forgettable from dataset
          where state = 'DELETED' and id < $1 order by id desc limit $3`,
        [before, unusedSince, limit],
      );
      return {
        ids: rows.filter((row) => row.forgettable === 1).map((row) => row.id),
        next: rows.length < limit ? undefined : rows.at(-1)?.id,
      };
    },
    async attemptKeysOfRun(runId) {
      const rows = await session.all<{ key: string }>(
        `select attempt.key from action join attempt on attempt.action_id = action.id
          where action.run_id = $1 order by attempt.id`,
        [runId],
      );
      return rows.map((row) => row.key);
    },
  };
}

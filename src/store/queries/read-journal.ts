// Reading the journal, the workers, settings and remembered file digests.
import type { StoreView } from '../../core/ports/store.ts';
import type { Param, Session } from '../database.ts';
import { oneOf } from '../one-of.ts';
import { journalTable, workerTable } from '../tables.ts';

type OtherReads = Pick<StoreView, 'journal' | 'workers' | 'setting' | 'fileDigests'>;

export function readJournal(session: Session): OtherReads {
  const { among } = session.dialect;
  return {
    async journal(filter) {
      const params: Param[] = [filter.after ?? 0, await session.settledId('journal')];
      const param = (value: Param): string => `$${params.push(value)}`;
      const conditions = ['id > $1 and id <= $2'];
      if (filter.runId !== undefined) conditions.push(`run_id = ${param(filter.runId)}`);
      if (filter.datasetId !== undefined) {
        conditions.push(`machine = 'dataset' and entity_id = ${param(filter.datasetId)}`);
      }
      if (filter.before !== undefined) conditions.push(`id < ${param(filter.before)}`);
      return session.all(
        `select ${journalTable.select} from journal where ${conditions.join(' and ')}
          order by id ${filter.before === undefined ? '' : 'desc'} limit ${param(filter.limit)}`,
        params,
      );
    },
    workers: ({ live, ids } = {}) =>
      ids === undefined
        ? session.all(
            `select ${workerTable.select} from worker
              ${live ? `where ${oneOf('state', ['ACTIVE', 'PAUSED', 'DRAINING'])}` : ''} order by id`,
          )
        : session.all(
            `select ${workerTable.select} from worker where ${among('id', '$1', 'int')} order by id`,
            [ids],
          ),
    async setting(key) {
      const rows = await session.all<{ value: string }>('select value from setting where key = $1', [key]);
      return rows[0]?.value;
    },
    async fileDigests(keys) {
      const rows = await session.all<{ key: string; sha256: string; sizeBytes: number }>(
        `select key, sha256, size_bytes as "sizeBytes" from file_digest where ${among('key', '$1', 'text')}`,
        [keys],
      );
      return new Map(rows.map((row) => [row.key, { sha256: row.sha256, sizeBytes: row.sizeBytes }]));
    },
  };
}

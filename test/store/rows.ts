// Rows for tests and benchmarks of the store: complete, with only what matters given.
import { hash } from 'node:crypto';
import type { NewRow } from '../../src/core/ports/store.ts';
import type {
  ActionRow,
  AttemptRow,
  DatasetRow,
  EdgeRow,
  RunDocument,
  RunRow,
  WorkerRow,
} from '../../src/core/rows.ts';

export const epoch = 1_700_000_000_000;

export function runRow(id: number, part: Partial<RunRow & RunDocument> = {}): NewRow<RunRow & RunDocument> {
  return {
    id,
    state: 'RUNNING',
    name: 'run',
    language: 'varve',
    userName: 'ada',
    realm: 'here',
    failurePolicy: 'stop',
    priority: 0,
    submissionKey: `submission-${id}`,
    source: null,
    parameters: null,
    retryOf: null,
    submittedAt: epoch + id,
    endedAt: null,
    error: null,
    summary: null,
    ...part,
  };
}

export function actionRow(id: number, part: Partial<ActionRow> = {}): NewRow<ActionRow> {
  return {
    id,
    state: 'READY',
    runId: 1,
    key: `step-${id}`,
    name: 'step',
    type: 'command-line',
    node: '{}',
    expands: 0,
    result: 0,
    grownFrom: null,
    grown: null,
    datasetId: id,
    signature: signatureOf(id),
    priority: 0,
    tags: '',
    rank: id,
    attempts: 0,
    lost: 0,
    cancelRequested: 0,
    reason: '{"code":"NEVER_COMPUTED"}',
    error: null,
    createdAt: epoch,
    readyAt: null,
    startedAt: null,
    endedAt: null,
    ...part,
  };
}

export function datasetRow(id: number, part: Partial<DatasetRow> = {}): NewRow<DatasetRow> {
  return {
    id,
    state: 'TO_STORE',
    signature: signatureOf(id),
    realm: 'here',
    isCurrent: 1,
    definition: `{"id":${id}}`,
    physical: null,
    inputs: null,
    node: '',
    name: 'step',
    producerId: null,
    sameAs: null,
    managed: 1,
    keep: 'auto',
    location: null,
    sizeBytes: null,
    fileCount: null,
    digest: null,
    value: null,
    computeMs: null,
    cpuMs: null,
    uses: 0,
    nondeterministic: 0,
    removalBeganAt: null,
    createdAt: epoch,
    storedAt: null,
    usedAt: null,
    deletedAt: null,
    deletedReason: null,
    ...part,
  };
}

/** A dataset that is there, as an original input is born. */
export function storedRow(id: number, part: Partial<DatasetRow> = {}): NewRow<DatasetRow> {
  return datasetRow(id, {
    state: 'STORED',
    location: `d/${id}`,
    digest: hash('sha256', `bytes of ${id}`),
    sizeBytes: 100,
    ...part,
  });
}

export function attemptRow(id: number, part: Partial<AttemptRow> = {}): NewRow<AttemptRow> {
  return {
    id,
    state: 'SUBMITTED',
    actionId: id,
    number: 1,
    key: `${id}-1-key`,
    backend: 'local',
    handle: null,
    worker: 'w1',
    submittedAt: epoch,
    startedAt: null,
    endedAt: null,
    exitCode: null,
    signal: null,
    cpuMs: null,
    peakBytes: null,
    error: null,
    ...part,
  };
}

export function workerRow(
  id: number,
  part: Partial<WorkerRow> = {},
): NewRow<WorkerRow> & { leaseUntil: number } {
  return {
    id,
    state: 'ACTIVE',
    name: `w${id}`,
    roles: 'worker',
    host: 'localhost',
    boot: 'b',
    pid: 1,
    processStarted: '0',
    programVersion: '0.1.0',
    capacity: null,
    doing: null,
    joinedAt: epoch,
    seenAt: epoch,
    tags: '',
    session: null,
    leaveNow: 0,
    leaseUntil: epoch + 1000,
    ...part,
  };
}

export function edgeRow(holderId: number, datasetId: number, part: Partial<EdgeRow> = {}): EdgeRow {
  return {
    holder: 'action',
    holderId,
    slot: 'in',
    position: String(datasetId).padStart(8, '0'),
    datasetId,
    producerId: null,
    optional: 0,
    state: 'WAITING',
    expiresAt: null,
    ...part,
  };
}

export function signatureOf(id: number): string {
  return hash('sha256', `signature of ${id}`);
}

/** The row that an insert makes of a new row. */
export function born<T>(row: T): T & { version: number; owner: null; leaseUntil: number; fence: number } {
  return { version: 1, owner: null, leaseUntil: 0, fence: 0, ...row };
}

// The columns of every table that the store reads as rows, by the names that the engine uses. A test compares them with the
// schema of both databases.
import type { RemoteJobRow } from '../core/ports/remote-jobs.ts';
import type {
  ActionRow,
  AttemptRow,
  DatasetRow,
  EdgeRow,
  JournalRow,
  RunDocument,
  RunRow,
  WorkerRow,
} from '../core/rows.ts';
import type { ColumnType, Value } from './database.ts';

export type Columns<T> = { readonly [K in keyof Required<T>]: ColumnType };

export interface Table<T> {
  readonly name: string;
  readonly columns: Columns<T>;
  /** Every column, qualified and aliased to the engine's name. */
  readonly select: string;
  /** Column names with types, as the drivers' bulk insert takes them; generated columns are left out. */
  readonly insertable: Readonly<Record<string, ColumnType>>;
  /** The values of a row in the order of `insertable`. */
  values(row: Partial<T>): Value[];
  /** SQL name of a field. */
  column(field: keyof T & string): string;
  type(column: string): ColumnType;
}

export function snake(field: string): string {
  return field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

interface Apart<T> {
  /** Columns that the database fills. */
  readonly generated?: readonly (keyof T & string)[];
}

function defineTable<T>(name: string, columns: Columns<T>, { generated = [] }: Apart<T> = {}): Table<T> {
  const fields = Object.keys(columns) as (keyof T & string)[];
  const written = fields.filter((field) => !generated.includes(field));
  const byColumn = new Map(fields.map((field) => [snake(field), columns[field]]));
  return {
    name,
    columns,
    select: fields.map((field) => `${name}.${snake(field)} as "${field}"`).join(', '),
    insertable: Object.fromEntries(written.map((field) => [snake(field), columns[field]])),
    values: compileValues(written),
    column: snake,
    type: (column) => byColumn.get(column) ?? 'text',
  };
}

/** Compiled, because a loop that looks fields up by name takes several times as long, and planning makes hundreds of thousands. */
function compileValues(fields: readonly string[]): (row: object) => Value[] {
  const values = fields.map((field) => `row.${field} ?? ${JSON.stringify(defaults[field] ?? null)}`);
  return new Function('row', `return [${values.join(', ')}];`) as (row: object) => Value[];
}

/** Values of columns that a new row does not name. */
const defaults: Record<string, Value> = { version: 1, leaseUntil: 0, fence: 0 };

const token = {
  id: 'int',
  state: 'text',
  version: 'int',
  owner: 'text',
  leaseUntil: 'int',
  fence: 'int',
} as const;

export const runTable = defineTable<RunRow>('run', {
  ...token,
  name: 'text',
  language: 'text',
  userName: 'text',
  realm: 'text',
  failurePolicy: 'text',
  priority: 'int',
  submissionKey: 'text',
  retryOf: 'int',
  submittedAt: 'int',
  endedAt: 'int',
  error: 'text',
  summary: 'text',
});

export const runDocumentTable = defineTable<RunDocument & { readonly runId: number }>('run_document', {
  runId: 'int',
  source: 'text',
  parameters: 'text',
});

export const actionTable = defineTable<ActionRow>('action', {
  ...token,
  runId: 'int',
  key: 'text',
  name: 'text',
  type: 'text',
  node: 'text',
  expands: 'int',
  result: 'int',
  grownFrom: 'int',
  grown: 'text',
  datasetId: 'int',
  signature: 'text',
  priority: 'int',
  tags: 'text',
  rank: 'int',
  attempts: 'int',
  lost: 'int',
  cancelRequested: 'int',
  reason: 'text',
  error: 'text',
  createdAt: 'int',
  readyAt: 'int',
  startedAt: 'int',
  endedAt: 'int',
});

export const attemptTable = defineTable<AttemptRow>('attempt', {
  ...token,
  actionId: 'int',
  number: 'int',
  key: 'text',
  backend: 'text',
  handle: 'text',
  worker: 'text',
  submittedAt: 'int',
  startedAt: 'int',
  endedAt: 'int',
  exitCode: 'int',
  signal: 'text',
  cpuMs: 'int',
  peakBytes: 'int',
  error: 'text',
});

export const datasetTable = defineTable<DatasetRow>('dataset', {
  ...token,
  signature: 'text',
  realm: 'text',
  isCurrent: 'int',
  definition: 'text',
  physical: 'text',
  inputs: 'text',
  node: 'text',
  name: 'text',
  producerId: 'int',
  sameAs: 'int',
  managed: 'int',
  keep: 'text',
  location: 'text',
  sizeBytes: 'int',
  fileCount: 'int',
  digest: 'text',
  value: 'text',
  computeMs: 'int',
  cpuMs: 'int',
  uses: 'int',
  nondeterministic: 'int',
  removalBeganAt: 'int',
  createdAt: 'int',
  storedAt: 'int',
  usedAt: 'int',
  deletedAt: 'int',
  deletedReason: 'text',
});

export const edgeTable = defineTable<EdgeRow>('edge', {
  holder: 'text',
  holderId: 'int',
  slot: 'text',
  position: 'text',
  datasetId: 'int',
  producerId: 'int',
  optional: 'int',
  state: 'text',
  expiresAt: 'int',
});

export const journalTable = defineTable<JournalRow>(
  'journal',
  {
    id: 'int',
    at: 'int',
    machine: 'text',
    entityId: 'int',
    runId: 'int',
    event: 'text',
    fromState: 'text',
    toState: 'text',
    actor: 'text',
    detail: 'text',
  },
  { generated: ['id'] },
);

export const workerTable = defineTable<WorkerRow>('worker', {
  ...token,
  name: 'text',
  roles: 'text',
  host: 'text',
  boot: 'text',
  pid: 'int',
  processStarted: 'text',
  programVersion: 'text',
  capacity: 'text',
  doing: 'text',
  joinedAt: 'int',
  seenAt: 'int',
  tags: 'text',
  session: 'text',
  leaveNow: 'int',
});

export const remoteJobTable = defineTable<RemoteJobRow>('remote_job', {
  key: 'text',
  state: 'text',
  owner: 'text',
  tags: 'text',
  travels: 'int',
  millicores: 'int',
  memoryBytes: 'int',
  priority: 'int',
  job: 'text',
  workerId: 'int',
  cancelRequested: 'int',
  queuedAt: 'int',
  startedAt: 'int',
  endedAt: 'int',
  outcome: 'text',
});

export const rowTables = [
  runTable,
  runDocumentTable,
  actionTable,
  attemptTable,
  datasetTable,
  edgeTable,
  journalTable,
  workerTable,
  remoteJobTable,
];

// Datasets: what is known of them, their files, and how long they live.
import { Type } from 'typebox';
import type { Routes } from '../route.ts';
import {
  anyJson,
  bytes,
  choice,
  count,
  datasetParam,
  fields,
  id,
  milliseconds,
  model,
  moment,
  name,
  nullable,
  page,
  pageOf,
  project,
  signature,
  text,
} from './model.ts';
import { idempotency, submittedRun } from './submitted-run.ts';

export const datasetState = choice(
  [
    'TO_STORE',
    'TO_LEAF',
    'TO_DELETE',
    'STORED',
    'LEAF',
    'STORED_TO_DELETE',
    'PROCESSING',
    'DELETING',
    'DELETED',
  ],
  { title: 'DatasetState' },
);

const datasetSummary = model('DatasetSummary', {
  dataset: signature,
  name: text,
  project: text,
  state: datasetState,
  sizeBytes: nullable(bytes),
  fileCount: nullable(count),
  computeMs: nullable(milliseconds),
  uses: count,
  createdAt: moment,
  storedAt: nullable(moment),
  usedAt: nullable(moment),
  deletedAt: nullable(moment),
  deletedReason: nullable(text),
});

const datasetDetail = model('Dataset', {
  ...datasetSummary.properties,
  digest: nullable(text),
  path: nullable(Type.String({ description: 'where its files are, for administrators' })),
  nondeterministic: Type.Boolean(),
  pinned: Type.Boolean(),
  pinnedUntil: nullable(moment),
  holders: Type.Array(text, { description: 'who keeps it from being deleted' }),
  producer: nullable(
    Type.Object({ run: id, action: id, key: text }, { description: 'what computed it last' }),
  ),
  definition: anyJson,
  value: anyJson,
  journal: Type.Array(Type.Object({ at: moment, event: text, fromState: text, toState: text, actor: text })),
});

const lineage = model('Lineage', {
  root: signature,
  datasets: Type.Array(Type.Object({ signature, name: text, state: text })),
  links: Type.Array(Type.Object({ from: signature, to: signature, slot: text })),
});

const entry = model('FileEntry', {
  path: text,
  kind: choice(['file', 'directory', 'symlink']),
  sizeBytes: Type.Optional(bytes),
  sha256: Type.Optional(text),
  executable: Type.Optional(Type.Boolean()),
  target: Type.Optional(text),
});

const deletion = model('Deletion', {
  signature,
  name: text,
  state: text,
  at: nullable(moment),
  reason: nullable(text),
  priceTag: anyJson,
  timesGivenUp: count,
  timesComputed: count,
});

const named = Type.Object({ dataset: signature });

export const datasetRoutes = {
  listDatasets: {
    method: 'GET',
    path: '/datasets',
    summary: 'list datasets, newest first',
    role: 'viewer',
    query: Type.Object({
      state: Type.Optional(Type.Array(datasetState, { maxItems: 9 })),
      name: Type.Optional(Type.String({ maxLength: 1000, description: 'the exact name of the action' })),
      search: Type.Optional(
        Type.String({ maxLength: 200, description: 'a part of the name, or the beginning of the signature' }),
      ),
      project: Type.Optional(project),
      ...page,
    }),
    response: pageOf(datasetSummary),
  },
  getDataset: {
    method: 'GET',
    path: '/datasets/{dataset}',
    summary: 'show a dataset: how it was made, who holds it, what happened to it',
    role: 'viewer',
    params: datasetParam,
    response: datasetDetail,
  },
  getLineage: {
    method: 'GET',
    path: '/datasets/{dataset}/lineage',
    summary: 'show what a dataset was made from and what was made from it',
    role: 'viewer',
    params: datasetParam,
    query: Type.Object({
      direction: Type.Optional(choice(['up', 'down', 'both'], { default: 'up' })),
    }),
    response: lineage,
  },
  listFiles: {
    method: 'GET',
    path: '/datasets/{dataset}/files',
    summary: 'list the files of a dataset',
    role: 'viewer',
    params: datasetParam,
    query: Type.Object({ ...page }),
    response: pageOf(entry),
    errors: [409],
  },
  readFile: {
    method: 'GET',
    path: '/datasets/{dataset}/files/{path*}',
    summary: 'download one file of a dataset; ranges are possible',
    role: 'viewer',
    params: Type.Object({
      ...datasetParam.properties,
      path: Type.String({ minLength: 1, maxLength: 4096 }),
    }),
    headers: Type.Object({ range: Type.Optional(Type.String({ maxLength: 100 })) }),
    download: 'application/octet-stream',
    errors: [409],
  },
  readArchive: {
    method: 'GET',
    path: '/datasets/{dataset}/archive',
    summary: 'download all files of a dataset as a tar archive',
    role: 'viewer',
    params: datasetParam,
    download: 'application/x-tar',
    errors: [409],
  },
  whyDeleted: {
    method: 'GET',
    path: '/datasets/{dataset}/deletion',
    summary: 'explain why the files of a dataset are gone',
    role: 'viewer',
    params: datasetParam,
    response: deletion,
  },
  pinDataset: {
    method: 'POST',
    path: '/datasets/{dataset}/pin',
    summary: 'keep a dataset whatever the budget says',
    role: 'submitter',
    params: datasetParam,
    body: fields({
      forMs: Type.Optional(
        Type.Integer({ minimum: 1, maximum: 8_000_000_000_000, description: 'for ever without it' }),
      ),
    }),
    response: Type.Object({ dataset: signature, until: nullable(moment) }),
    errors: [409],
  },
  unpinDataset: {
    method: 'DELETE',
    path: '/datasets/{dataset}/pin',
    summary: 'let go of a pinned dataset',
    role: 'submitter',
    params: datasetParam,
    response: named,
  },
  demoteDataset: {
    method: 'POST',
    path: '/datasets/{dataset}/demote',
    summary: 'let go of a result, so that the budget may decide about it',
    role: 'submitter',
    params: datasetParam,
    response: named,
    errors: [409],
  },
  deleteDataset: {
    method: 'DELETE',
    path: '/datasets/{dataset}',
    summary: 'delete the files of a dataset; what live runs need is never deleted',
    role: 'submitter',
    params: datasetParam,
    response: named,
    errors: [409],
  },
  restoreDataset: {
    method: 'POST',
    path: '/datasets/{dataset}/restore',
    summary: 'compute a deleted dataset again from its provenance',
    role: 'submitter',
    params: datasetParam,
    headers: idempotency,
    response: submittedRun,
    status: 201,
  },
  verifyDataset: {
    method: 'POST',
    path: '/datasets/{dataset}/verify',
    summary: 'compare the files of a dataset with what was recorded; damaged ones become misses',
    role: 'submitter',
    params: datasetParam,
    body: fields({ depth: Type.Optional(choice(['exists', 'sizes', 'contents'], { default: 'contents' })) }),
    response: Type.Object({
      dataset: signature,
      name,
      found: choice(['intact', 'missing', 'damaged']),
    }),
  },
  uploadFile: {
    method: 'POST',
    path: '/uploads',
    summary: 'upload a file for a submission',
    description: 'The answer names the upload by its contents; `files` of a submission refers to it.',
    role: 'submitter',
    upload: true,
    response: model('Upload', { upload: text, sizeBytes: bytes }),
    status: 201,
  },
} as const satisfies Routes;

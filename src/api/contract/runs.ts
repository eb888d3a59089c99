// Submitting, planning and looking at runs.
import { Type } from 'typebox';
import type { Routes } from '../route.ts';
import {
  anyJson,
  bytes,
  choice,
  count,
  fields,
  id,
  milliseconds,
  model,
  moment,
  name,
  nullable,
  optionalTime,
  page,
  pageOf,
  problemItem,
  project,
  runParam,
  signature,
  text,
} from './model.ts';
import { idempotency, submittedRun } from './submitted-run.ts';

export const runState = choice(['RUNNING', 'CANCELLING', 'SUCCEEDED', 'FAILED', 'CANCELLED'], {
  title: 'RunState',
});

export const runSummary = model('RunSummary', {
  run: id,
  name: text,
  language: text,
  state: runState,
  user: text,
  project: text,
  priority: Type.Integer(),
  submittedAt: moment,
  endedAt: nullable(moment),
  retryOf: nullable(id),
});

const actionCounts = model('ActionCounts', {
  computed: count,
  reused: count,
  joined: Type.Integer({ minimum: 0, description: 'computed by another run that this one waited for' }),
  skipped: count,
  failed: count,
  live: count,
});

const resultFiles = model('ResultFiles', {
  action: Type.String({ description: 'id of the action' }),
  position: Type.String({ description: 'place in the list, when the action stood for a list; else empty' }),
  dataset: signature,
  state: text,
  digest: text,
  sizeBytes: bytes,
  path: nullable(Type.String({ description: 'where its files are, for administrators' })),
});

const failure = model('Failure', { action: text, code: text, message: text });

export const runDetail = model('Run', {
  ...runSummary.properties,
  elapsedMs: milliseconds,
  savedMs: Type.Number({ description: 'compute time of what the run did not have to compute' }),
  actions: actionCounts,
  states: Type.Record(text, count, { description: 'actions by state' }),
  outputs: Type.Array(resultFiles),
  failures: Type.Array(failure, { description: 'the first twenty' }),
  warnings: Type.Array(text),
  compacted: Type.Boolean({ description: 'its single actions are no longer known' }),
});

const files = Type.Optional(
  Type.Record(
    Type.String({ maxLength: 4096 }),
    fields({
      upload: Type.String({ pattern: '^[0-9a-f]{64}$', description: 'as POST /uploads answered' }),
      executable: Type.Optional(Type.Boolean()),
    }),
    {
      description:
        "the files that the workflow names, by their absolute path in the submitter's world; relative paths in the workflow start at `folder`",
    },
  ),
);

const neighbours = Type.Optional(
  Type.Array(Type.String({ maxLength: 255 }), {
    maxItems: 100_000,
    description:
      "names in the submitter's `folder`: programs that commands mean and that were not uploaded are then reported as missing",
  }),
);

const clientFolder = Type.String({
  maxLength: 4096,
  pattern: '^/',
  description: "an absolute folder in the submitter's world",
});

const documentFields = {
  workflow: Type.Optional(
    Type.Union([Type.String({ description: 'the document as text, YAML or JSON' }), Type.Object({})], {
      description:
        'the document, of Varve or of CWL (packed, or with others in `files` or `archive` that it refers to); may be left out when it is a member of `archive`',
    }),
  ),
  fileName: Type.Optional(
    Type.String({
      maxLength: 255,
      pattern: '^[^/\\\\]+$',
      description: 'for messages, and .json, .yaml or .cwl; a name in `folder`',
    }),
  ),
  folder: Type.Optional(clientFolder),
  files,
  archive: Type.Optional(
    Type.String({
      pattern: '^[0-9a-f]{64}$',
      description:
        'an upload, as POST /uploads answered: a tar (also .tar.gz) or zip file whose members lie in `folder`',
    }),
  ),
  fragment: Type.Optional(
    Type.String({
      maxLength: 1000,
      description: 'CWL: one process of a packed document; `main` unless given',
    }),
  ),
  neighbours,
};

const workflowFields = {
  ...documentFields,
  parameters: Type.Optional(
    Type.Record(Type.String({ maxLength: 1000 }), anyJson, {
      description: 'values of the parameters; the input object of a CWL document',
    }),
  ),
  parametersFolder: Type.Optional(clientFolder),
  noReuse: Type.Optional(Type.Boolean({ description: 'CWL: compute every step again' })),
  project: Type.Optional(project),
  force: Type.Optional(
    Type.Array(name, { maxItems: 10_000, description: 'ids of actions to compute again' }),
  ),
};

const planRow = model('PlannedAction', {
  action: text,
  name: text,
  plan: choice(['compute', 'grow', 'reuse', 'join', 'leave', 'live', 'blocked']),
  code: text,
  why: text,
  signature,
});

const explanation = model('Explanation', {
  key: text,
  name: text,
  state: text,
  code: text,
  why: text,
  signature,
  nearest: Type.Optional(
    Type.Object({
      signature,
      state: text,
      differences: Type.Array(
        Type.Object({ path: text, before: Type.Optional(anyJson), now: Type.Optional(anyJson) }),
      ),
    }),
  ),
});

const graph = model(
  'RunGraph',
  {
    run: id,
    states: Type.Array(text, { description: 'names for the numbers in `actions`' }),
    names: Type.Array(text, { description: 'names for the numbers in `actions`' }),
    actions: Type.Array(
      Type.Tuple([id, text, Type.Integer(), Type.Integer(), nullable(Type.Integer()), Type.Integer()]),
      {
        description:
          '[id, key, number of its name, number of its state, index of the action that it grew from or null, 1 if it is a result]',
      },
    ),
    times: Type.Array(Type.Tuple([nullable(moment), nullable(moment), nullable(moment)]), {
      description: '[ready, started, ended], in the order of `actions`',
    }),
    edges: Type.Array(Type.Tuple([Type.Integer(), Type.Integer()]), {
      description: '[index of the parent, index of the child] in `actions`',
    }),
  },
  'Compact, for graphs of many thousand actions.',
);

export const runRoutes = {
  submitRun: {
    method: 'POST',
    path: '/runs',
    summary: 'submit a workflow',
    description:
      'All problems of the document are reported at once. A 422 answer with `missingFiles` names files to upload first.',
    role: 'submitter',
    headers: idempotency,
    body: fields({
      ...workflowFields,
      priority: Type.Optional(Type.Integer({ minimum: -1_000_000, maximum: 1_000_000 })),
    }),
    response: submittedRun,
    status: 201,
  },
  planRun: {
    method: 'POST',
    path: '/plans',
    summary: 'say what a submission would do now, and why; changes nothing',
    role: 'submitter',
    body: fields(workflowFields),
    response: Type.Object({ items: Type.Array(planRow) }),
  },
  validateWorkflow: {
    method: 'POST',
    path: '/validations',
    summary: 'check a workflow and report every problem',
    role: 'viewer',
    body: fields(documentFields),
    response: Type.Object({
      problems: Type.Array(problemItem),
      missingFiles: Type.Array(text),
    }),
  },
  listRuns: {
    method: 'GET',
    path: '/runs',
    summary: 'list runs, newest first',
    role: 'viewer',
    query: Type.Object({
      state: Type.Optional(Type.Array(runState, { maxItems: 5 })),
      user: Type.Optional(name),
      project: Type.Optional(project),
      name: Type.Optional(Type.String({ maxLength: 1000, description: 'the exact name of the workflow' })),
      search: Type.Optional(Type.String({ maxLength: 200, description: 'a part of the name, in any case' })),
      from: optionalTime,
      until: optionalTime,
      ...page,
    }),
    response: pageOf(runSummary),
  },
  getRun: {
    method: 'GET',
    path: '/runs/{run}',
    summary: 'show a run: state, counts, results, failures',
    role: 'viewer',
    params: runParam,
    response: runDetail,
  },
  getRunState: {
    method: 'GET',
    path: '/runs/{run}/state',
    summary: 'show how a run stands, in few bytes',
    role: 'viewer',
    params: runParam,
    response: model('RunStanding', {
      run: id,
      state: runState,
      endedAt: nullable(moment),
      states: Type.Record(text, count),
    }),
  },
  getRunSource: {
    method: 'GET',
    path: '/runs/{run}/source',
    summary: 'show the document and parameters of a run, as submitted',
    role: 'viewer',
    params: runParam,
    response: model('RunSource', { source: nullable(text), parameters: anyJson }),
  },
  getRunOutputs: {
    method: 'GET',
    path: '/runs/{run}/outputs',
    summary: 'show the output object of a CWL run that succeeded',
    description:
      "Files have locations below this server (`/api/v1/datasets/…`), or `file:` where one is an input that the submitter brought: there, in the submitter's world.",
    role: 'viewer',
    params: runParam,
    response: model('RunOutputs', { outputs: anyJson }),
  },
  getRunGraph: {
    method: 'GET',
    path: '/runs/{run}/graph',
    summary: 'show the graph of a run in a compact form',
    role: 'viewer',
    params: runParam,
    response: graph,
  },
  explainRun: {
    method: 'GET',
    path: '/runs/{run}/why',
    summary: 'explain why each action of a run ran or did not',
    role: 'viewer',
    params: runParam,
    query: Type.Object({
      action: Type.Optional(Type.String({ maxLength: 4096, description: 'only this action' })),
    }),
    response: Type.Object({ items: Type.Array(explanation) }),
  },
  cancelRun: {
    method: 'POST',
    path: '/runs/{run}/cancel',
    summary: 'cancel a run; work that another run shares goes on',
    role: 'submitter',
    params: runParam,
    response: Type.Object({ run: id, state: runState }),
  },
  retryRun: {
    method: 'POST',
    path: '/runs/{run}/retry',
    summary: 'run a failed or cancelled run again from where it ended',
    role: 'submitter',
    params: runParam,
    headers: idempotency,
    response: submittedRun,
    status: 201,
  },
  rerunActions: {
    method: 'POST',
    path: '/runs/{run}/rerun',
    summary: 'compute chosen actions of a run again, and everything below that changes',
    role: 'submitter',
    params: runParam,
    headers: idempotency,
    body: fields({ actions: Type.Array(name, { minItems: 1, maxItems: 10_000 }) }),
    response: submittedRun,
    status: 201,
  },
} as const satisfies Routes;

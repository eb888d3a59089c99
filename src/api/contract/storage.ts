// The storage budget: space, decisions, rules.
import { Type } from 'typebox';
import type { Routes } from '../route.ts';
import {
  bytes,
  choice,
  count,
  fields,
  id,
  model,
  moment,
  name,
  nullable,
  optionalTime,
  signature,
  text,
} from './model.ts';

const storage = model(
  'Storage',
  {
    usedBytes: Type.Integer({
      minimum: 0,
      description: 'bytes of all datasets that the caller may see, those on their way out included',
    }),
    freeBytes: nullable(bytes),
    totalBytes: nullable(bytes),
    states: Type.Array(Type.Object({ state: text, count, sizeBytes: bytes })),
    budget: nullable(
      Type.Object({
        budgetBytes: bytes,
        highBytes: bytes,
        lowBytes: bytes,
        countedBytes: bytes,
        leavingBytes: bytes,
        resultBytes: bytes,
      }),
    ),
    algorithm: text,
  },
  'Disk and budget speak of the whole site, and only to those who see all of it.',
);

const useSample = model('SpaceSample', {
  at: moment,
  usedBytes: bytes,
  resultBytes: bytes,
  budgetBytes: nullable(bytes),
});

const priced = model('PricedDataset', {
  dataset: signature,
  name: text,
  bytes,
  recomputeSeconds: Type.Optional(Type.Number()),
  uses: count,
  idleRuns: Type.Optional(Type.Number()),
  reuseRate: Type.Optional(Type.Number()),
  score: Type.Optional(Type.Number()),
  by: text,
  text,
});

const decision = model('Decision', {
  dryRun: Type.Boolean(),
  by: Type.Optional(text),
  refused: Type.Optional(text),
  wantedBytes: bytes,
  freedBytes: bytes,
  shortfallBytes: bytes,
  notAdmitted: count,
  datasets: count,
  givenUp: Type.Array(priced),
});

const whatIf = model('WhatIf', {
  budgetBytes: bytes,
  algorithm: text,
  runs: count,
  datasets: count,
  footprintBytes: Type.Number({ description: 'what an unlimited store would hold besides results' }),
  unlimitedSeconds: Type.Number({ description: 'compute time with an unlimited store' }),
  computeSeconds: Type.Number({ description: 'compute time with this budget' }),
  bareSeconds: Type.Number({ description: 'compute time with nothing kept but results' }),
  decisions: count,
  givenUp: count,
  exact: Type.Boolean({ description: 'false when decisions were bundled to answer in time' }),
});

const rule = model('KeepRule', {
  id,
  effect: choice(['keep', 'never-keep', 'leaf-quota']),
  name: nullable(text),
  userName: nullable(text),
  atLeastBytes: nullable(bytes),
  atMostBytes: nullable(bytes),
  quotaBytes: nullable(bytes),
  createdBy: text,
  createdAt: moment,
  text: Type.String({ description: 'the rule as a sentence' }),
});

export const storageRoutes = {
  getStorage: {
    method: 'GET',
    path: '/storage',
    summary: 'show the space that datasets take, and the budget',
    role: 'viewer',
    response: storage,
  },
  getStorageUse: {
    method: 'GET',
    path: '/storage/use',
    summary: 'show the space in use over time',
    role: 'admin',
    query: Type.Object({
      from: optionalTime,
      until: optionalTime,
      points: Type.Optional(Type.Integer({ minimum: 2, maximum: 2000, default: 200 })),
    }),
    response: Type.Object({ items: Type.Array(useSample) }),
  },
  decide: {
    method: 'POST',
    path: '/storage/decisions',
    summary: 'give datasets up until enough space is free, or say what would go',
    description: 'A dry run shows callers who are no administrators only datasets that they may see.',
    role: 'admin',
    body: fields({
      free: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: Number.MAX_SAFE_INTEGER,
          description: 'bytes; without it, as many as the budget asks for',
        }),
      ),
      dryRun: Type.Optional(Type.Boolean({ default: true })),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 10_000, default: 50 })),
    }),
    response: decision,
  },
  askWhatIf: {
    method: 'POST',
    path: '/storage/what-if',
    summary: 'say what another budget would have cost, from the history of this site',
    role: 'admin',
    body: fields({
      budgetBytes: Type.Integer({
        minimum: 1,
        maximum: Number.MAX_SAFE_INTEGER,
        description: 'for datasets besides results',
      }),
    }),
    response: Type.Object(
      { answer: nullable(whatIf) },
      { description: 'null as long as there is no history' },
    ),
  },
  cleanStorage: {
    method: 'POST',
    path: '/storage/clean',
    summary: 'remove leftovers of crashed attempts and everything given up',
    role: 'admin',
    response: Type.Object({ deleted: count, attempts: count, orphans: count }),
  },
  verifyStorage: {
    method: 'POST',
    path: '/storage/verify',
    summary: 'compare the files of a page of datasets with what was recorded',
    role: 'admin',
    body: fields({
      depth: Type.Optional(choice(['exists', 'sizes', 'contents'], { default: 'contents' })),
      cursor: Type.Optional(Type.String({ maxLength: 500 })),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, default: 100 })),
    }),
    response: Type.Object({
      intact: count,
      missing: count,
      damaged: count,
      bad: Type.Array(Type.Object({ dataset: signature, name: text, found: text })),
      next: nullable(text),
    }),
  },
  listRules: {
    method: 'GET',
    path: '/storage/rules',
    summary: 'list the rules about how long datasets live',
    role: 'admin',
    response: Type.Object({ items: Type.Array(rule) }),
  },
  addRule: {
    method: 'POST',
    path: '/storage/rules',
    summary: 'add a rule about how long datasets live',
    role: 'admin',
    body: fields({
      effect: rule.properties.effect,
      name: Type.Optional(name),
      user: Type.Optional(name),
      atLeastBytes: Type.Optional(bytes),
      atMostBytes: Type.Optional(bytes),
      quotaBytes: Type.Optional(bytes),
    }),
    response: rule,
    status: 201,
  },
  removeRule: {
    method: 'DELETE',
    path: '/storage/rules/{rule}',
    summary: 'remove a rule',
    role: 'admin',
    params: Type.Object({ rule: id }),
    response: Type.Object({ rule: id }),
  },
} as const satisfies Routes;

// Rows of the commands about the storage budget: decisions, history, savings and rules.
import type { CommandRows } from '../command.ts';

const dataset = { name: 'dataset', summary: 'its signature, or a unique beginning of it' } as const;
const limit = { type: 'integer', min: 1, default: '50', summary: 'how many' } as const;
const since = { type: 'duration', summary: 'only what was submitted in the last 30d, 12h, …' } as const;
const ago = { type: 'duration', summary: 'only what was submitted before the last 7d, 12h, …' } as const;
const name = { type: 'text', summary: 'only of this workflow or action' } as const;
const user = { type: 'text', summary: 'only of this user' } as const;
const every = {
  type: 'duration',
  default: '1h',
  summary: 'the length of one stretch of time; compacted history is known by the hour',
} as const;
const of = {
  type: 'choice',
  choices: ['runs', 'actions'],
  default: 'runs',
  summary: 'what is counted',
} as const;

export const storageCommands = {
  decide: {
    remote: true,
    summary: 'give datasets up until enough space is free, and say why',
    description:
      'Asks the decision algorithm what to give up. Every dataset has a price tag: what it frees, how long it would take to compute it again now, how often it was used and how often it is expected to be wanted. Nothing that a run, a pin, a rule or a download holds is ever given up, nor is a result.',
    options: {
      'dry-run': { type: 'flag', short: 'n', summary: 'only say what would go' },
      free: { type: 'bytes', summary: 'bytes to free; without it, as many as the budget asks for' },
      limit: { type: 'integer', min: 1, default: '50', summary: 'how many datasets to list' },
    },
    examples: [
      { line: 'varve decide --dry-run --free 50GB', what: 'what would go, and why' },
      { line: 'varve decide --free 50GB', what: 'let it go' },
    ],
  },
  savings: {
    remote: true,
    summary: 'show what reuse saved and what deletions cost, per user and workflow',
    options: { since, until: ago },
    examples: [{ line: 'varve savings --since 30d', what: 'of the last month' }],
  },
  'datasets why-deleted': {
    remote: true,
    summary: 'explain why the files of a dataset are gone',
    arguments: [dataset],
    examples: [{ line: 'varve datasets why-deleted 3fa9c1', what: 'the reason and the price tag' }],
  },
  'datasets demote': {
    remote: true,
    summary: 'let go of a result, so that the budget may decide about it',
    arguments: [dataset],
    examples: [{ line: 'varve datasets demote 3fa9c1', what: 'its files stay until space is short' }],
  },
  'rules add': {
    remote: true,
    summary: 'add a rule about how long datasets live',
    description:
      'keep: matching datasets are never given up. never-keep: they are given up as soon as nothing needs them. leaf-quota: results of a user that take more than --quota are let go of, the oldest first. A dataset belongs to the user whose run computed it first. A rule to keep wins over one not to keep.',
    arguments: [
      { name: 'effect', summary: 'what the rule does', choices: ['keep', 'never-keep', 'leaf-quota'] },
    ],
    options: {
      name: { type: 'text', summary: 'datasets of actions with this name; * stands for any text' },
      user: { type: 'text', summary: 'datasets of this user' },
      'at-least': { type: 'bytes', summary: 'datasets of this size or larger' },
      'at-most': { type: 'bytes', summary: 'datasets of this size or smaller' },
      quota: { type: 'bytes', summary: 'for leaf-quota: bytes that results may take' },
    },
    examples: [
      { line: 'varve rules add keep --name align*', what: 'expensive steps stay' },
      { line: 'varve rules add never-keep --at-least 100GB', what: 'the largest never stay' },
      { line: 'varve rules add leaf-quota --quota 2TB', what: 'for every user' },
    ],
  },
  'rules ls': {
    remote: true,
    summary: 'list the rules about how long datasets live',
    examples: [{ line: 'varve rules ls', what: 'with their numbers' }],
  },
  'rules rm': {
    remote: true,
    summary: 'remove a rule',
    arguments: [{ name: 'rule', summary: 'its number' }],
    examples: [{ line: 'varve rules rm 3', what: 'the budget decides again' }],
  },
  'history runs': {
    remote: true,
    summary: 'list ended runs as decisions see them, newest first',
    options: {
      before: { type: 'integer', min: 1, summary: 'only entries before this one, the next page' },
      after: { type: 'integer', min: 0, summary: 'entries after this one, oldest first' },
      limit,
      members: { type: 'flag', summary: 'with --json: every dataset with its parents' },
    },
    examples: [{ line: 'varve history runs --members --json', what: 'the simplified workflows' }],
  },
  'history actions': {
    remote: true,
    summary: 'list the last actions, newest first',
    options: {
      before: { type: 'integer', min: 1, summary: 'only actions before this number, the next page' },
      limit,
    },
    examples: [{ line: 'varve history actions --limit 200', what: 'the rolling window of the last 200' }],
  },
  'history counts': {
    remote: true,
    summary: 'count runs or actions by time',
    options: {
      of,
      since,
      until: ago,
      every,
      name,
      user,
      after: {
        type: 'integer',
        min: 0,
        summary: 'only stretches that begin after this time (ms), the next page',
      },
      limit,
    },
    examples: [{ line: 'varve history counts --of actions --since 7d --every 1d', what: 'per day' }],
  },
  'history arrivals': {
    remote: true,
    summary: 'show how far apart runs or actions arrive',
    options: { of, since, until: ago, every, name, user },
    examples: [{ line: 'varve history arrivals --name nightly --every 1h', what: 'gaps in hours' }],
  },
  'history costs': {
    remote: true,
    summary: 'show mean compute time and size per action name',
    options: { after: { type: 'text', summary: 'only names after this one, the next page' }, limit },
    examples: [{ line: 'varve history costs', what: 'what decisions expect of an action' }],
  },
  'history decisions': {
    remote: true,
    summary: 'list decisions: who decided, what was freed, what failed',
    options: {
      after: { type: 'integer', min: 0, summary: 'only decisions after this number, the next page' },
      limit,
    },
    examples: [{ line: 'varve history decisions', what: 'oldest first' }],
  },
  'history compact': {
    remote: true,
    summary: 'drop the details of old runs; decisions stay the same',
    description:
      'Drops actions, attempts, logs and journal of runs that ended longer ago than `history.retention`, or than --older-than. Runs, results, datasets and what decisions learn from stay.',
    options: { 'older-than': { type: 'duration', summary: 'age instead of history.retention' } },
    examples: [{ line: 'varve history compact --older-than 90d', what: 'a smaller database' }],
  },
  'history export': {
    remote: true,
    summary: 'print the history in the format of the laboratory',
    examples: [{ line: 'varve history export > site.jsonl', what: 'for varve lab simulate' }],
  },
} as const satisfies CommandRows;

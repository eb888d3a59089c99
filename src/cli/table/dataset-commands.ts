// Rows of the commands about datasets.
import type { CommandRows } from '../command.ts';

const dataset = { name: 'dataset', summary: 'its signature, or a unique beginning of it' } as const;

export const datasetCommands = {
  'datasets ls': {
    remote: true,
    summary: 'list datasets, newest first',
    options: {
      name: { type: 'text', summary: 'only of actions with this name' },
      state: { type: 'text', multiple: true, summary: 'only in this state, such as STORED or DELETED' },
      limit: { type: 'integer', min: 1, default: '50', summary: 'how many' },
    },
    examples: [{ line: 'varve datasets ls --state DELETED', what: 'what was given up' }],
  },
  'datasets show': {
    remote: true,
    summary: 'show a dataset: how it was made, where its files are, who holds it',
    arguments: [dataset],
    examples: [{ line: 'varve datasets show 3fa9c1', what: 'everything about it' }],
  },
  'datasets lineage': {
    remote: true,
    summary: 'draw what a dataset was made from and what was made from it',
    arguments: [dataset],
    options: {
      format: { type: 'choice', choices: ['text', 'dot', 'svg'], default: 'text', summary: 'how to draw' },
      direction: {
        type: 'choice',
        choices: ['up', 'down', 'both'],
        default: 'up',
        summary: 'ancestors, descendants or both',
      },
    },
    examples: [
      { line: 'varve datasets lineage 3fa9c1', what: 'as a tree' },
      { line: 'varve datasets lineage 3fa9c1 --format svg > lineage.svg', what: 'as a picture' },
    ],
  },
  'datasets pin': {
    remote: true,
    summary: 'keep a dataset whatever the budget says',
    arguments: [dataset],
    options: { for: { type: 'duration', summary: 'only for this long, such as 30d' } },
    examples: [{ line: 'varve datasets pin 3fa9c1 --for 30d', what: 'for a month' }],
  },
  'datasets unpin': {
    remote: true,
    summary: 'let go of a pinned dataset',
    arguments: [dataset],
    examples: [{ line: 'varve datasets unpin 3fa9c1', what: 'the budget decides again' }],
  },
  'datasets rm': {
    remote: true,
    summary: 'delete the files of datasets; what live runs need is never deleted',
    arguments: [{ ...dataset, variadic: true }],
    examples: [{ line: 'varve datasets rm 3fa9c1', what: 'it can be restored later' }],
  },
  'datasets restore': {
    remote: true,
    summary: 'compute a deleted dataset again from its provenance and compare the bytes',
    arguments: [dataset],
    examples: [{ line: 'varve datasets restore 3fa9c1', what: 'from the nearest stored ancestors' }],
  },
  'datasets verify': {
    remote: true,
    summary: 'compare the files of datasets with what was recorded',
    arguments: [{ ...dataset, name: 'dataset', optional: true, variadic: true }],
    options: {
      depth: {
        type: 'choice',
        choices: ['exists', 'sizes', 'contents'],
        default: 'contents',
        summary: 'how closely to look',
      },
    },
    examples: [{ line: 'varve datasets verify', what: 'all of them; damaged ones become misses' }],
  },
  'datasets du': {
    remote: true,
    summary: 'show how much space datasets take',
    examples: [{ line: 'varve datasets du', what: 'by state and by name' }],
  },
  'datasets clean': {
    remote: true,
    summary: 'remove leftovers of crashed attempts and everything given up',
    examples: [{ line: 'varve datasets clean', what: 'safe at any time' }],
  },
} as const satisfies CommandRows;

// Rows of the laboratory's commands.
import type { CommandRows } from '../command.ts';

const familyOptions = {
  seed: { type: 'integer', min: 0, default: '1', summary: 'seed; equal seeds give equal histories' },
  parameter: {
    type: 'text',
    multiple: true,
    placeholder: 'NAME=VALUE',
    summary: 'parameter of the family, its value as JSON',
  },
  instance: { type: 'path', multiple: true, summary: 'WfFormat file for the family wfinst' },
} as const;

const budget = {
  type: 'text',
  multiple: true,
  placeholder: 'SHARE|SIZE',
  summary: 'share of what an unlimited store would hold, such as 10%, or a size such as 200GB',
} as const;

const algorithm = {
  type: 'text',
  multiple: true,
  placeholder: 'NAME',
  summary: 'shipped algorithm, random, path of a file or name of a package',
} as const;

const simulation = {
  budget,
  algorithm,
  'no-bounds': { type: 'flag', summary: 'leave out lower and upper bounds' },
  threads: { type: 'integer', min: 1, summary: 'threads; all cores by default' },
  out: { type: 'path', summary: 'write all results here, as JSON' },
  report: { type: 'path', summary: 'write the HTML report here' },
} as const;

export const labCommands = {
  'lab generate': {
    summary: 'make a history of runs',
    description:
      'Families: thesis, thesis-sparse, zipf, drift, sweep, diamond, pegasus, wfinst. The file format is described in docs/lab-history.md.',
    arguments: [{ name: 'family', summary: 'which generator' }],
    options: { ...familyOptions, out: { type: 'path', summary: 'file to write; stdout by default' } },
    examples: [
      { line: 'varve lab generate zipf --seed 7 --out zipf.jsonl', what: 'a history of 1,600 actions' },
      { line: 'varve lab generate thesis --parameter actions=80', what: 'as small as in the thesis' },
    ],
  },
  'lab simulate': {
    summary: 'replay histories against algorithms and budgets',
    description: 'Takes history files, or makes histories of families with several seeds each.',
    arguments: [{ name: 'history', summary: 'history files', optional: true, variadic: true, isPath: true }],
    options: {
      ...familyOptions,
      family: { type: 'text', multiple: true, summary: 'family to generate from; all but wfinst by default' },
      seeds: { type: 'integer', min: 1, default: '3', summary: 'how many seeds, from --seed on' },
      ...simulation,
    },
    examples: [
      { line: 'varve lab simulate --family sweep --seeds 5 --budget 10%', what: 'one family' },
      {
        line: 'varve lab simulate site.jsonl --algorithm hamr --algorithm ./mine.js',
        what: 'two algorithms',
      },
      { line: 'varve lab simulate --seeds 20 --report report.html', what: 'everything, with plots' },
    ],
  },
  'lab replay': {
    remote: true,
    summary: 'what another algorithm or budget would have saved on a history',
    arguments: [
      {
        name: 'history',
        summary: 'history file; without it, what happened at this site',
        optional: true,
        isPath: true,
      },
    ],
    options: simulation,
    examples: [
      {
        line: 'varve lab replay --budget 1TB --budget 1.2TB',
        what: 'what 200 GB more would have saved here',
      },
      {
        line: 'varve lab replay site.jsonl --budget 1TB --budget 1.2TB --algorithm hamr --algorithm lru',
        what: 'against the first budget and algorithm',
      },
    ],
  },
  'lab run': {
    summary: 'submit a history for real, with processes, files and a budget',
    description:
      'Runs a history on a Varve of its own: each action really writes its bytes and takes its time, both scaled. Prints the time that was computed beside the ideal and beside the simulation. Between runs, decisions are those of the simulation; during runs, the budget holds at all times, as in production.',
    arguments: [{ name: 'history', summary: 'history file, or a family', isPath: true }],
    options: {
      ...familyOptions,
      budget: {
        type: 'text',
        default: '10%',
        placeholder: 'SHARE|SIZE',
        summary: 'share of what an unlimited store would hold, or a size after scaling',
      },
      algorithm: { type: 'text', default: 'hamr', placeholder: 'NAME', summary: 'decision algorithm' },
      decide: {
        type: 'choice',
        choices: ['between-runs', 'during-runs'],
        default: 'during-runs',
        summary: 'when decisions are made',
      },
      'mean-size': {
        type: 'bytes',
        default: '100kB',
        summary: 'size of a dataset on average, by scaling all',
      },
      'total-time': {
        type: 'duration',
        default: '0',
        summary: 'how long computing everything once really takes on one core, by scaling all; 0: no waiting',
      },
      cores: { type: 'integer', min: 1, summary: 'cores to use; all by default' },
      folder: { type: 'path', summary: 'folder to work in; a temporary one by default' },
    },
    examples: [
      { line: 'varve lab run zipf --parameter actions=200', what: 'a small one, as fast as it goes' },
      { line: 'varve lab run site.jsonl --decide between-runs', what: 'compare with the simulation' },
    ],
  },
  'lab bound': {
    summary: 'the ideal execution time of a history under a budget',
    description:
      'Prints the time of an unlimited store, lower and upper bound of the optimum, and the optimum itself where the history is small enough.',
    arguments: [{ name: 'history', summary: 'history file, or a family', isPath: true }],
    options: { ...familyOptions, budget },
    examples: [{ line: 'varve lab bound zipf --seed 7 --budget 5% --budget 10%', what: 'two budgets' }],
  },
  'lab report': {
    summary: 'make an HTML report of simulation results',
    arguments: [{ name: 'results', summary: 'file that lab simulate --out wrote', isPath: true }],
    options: {
      title: { type: 'text', summary: 'title of the report' },
      out: { type: 'path', default: 'report.html', summary: 'file to write' },
    },
    examples: [{ line: 'varve lab report results.json --out report.html', what: 'one self-contained file' }],
  },
  'lab check': {
    summary: 'check that a decision algorithm keeps its contract',
    arguments: [
      { name: 'algorithm', summary: 'shipped algorithm, path of a file or name of a package', isPath: true },
    ],
    options: {
      cases: { type: 'integer', min: 1, default: '60', summary: 'how many situations' },
      limit: { type: 'duration', default: '10s', summary: 'longest time for one situation' },
    },
    examples: [{ line: 'varve lab check ./my-policy.js', what: 'every broken rule with a situation' }],
  },
} as const satisfies CommandRows;

// Rows of the commands for the first hour.
import type { CommandRows } from '../command.ts';

export const firstStepCommands = {
  init: {
    summary: 'make a small project: a workflow, a script, data and a page that explains them',
    description:
      'Writes a workflow that runs as it is, so that there is something to change. Nothing that exists is overwritten. Editors that know the YAML language server complete and check the workflow while you type.',
    arguments: [{ name: 'folder', summary: 'where; this folder unless given', optional: true, isPath: true }],
    examples: [{ line: 'varve init rainfall', what: 'a project in a new folder' }],
  },
  demo: {
    summary: 'show what Varve does, in two minutes, on data of its own',
    description:
      'A tour: run, run again, change a step, exceed the storage budget, see what was given up and why, lose all files and get them back. Every command is shown before it runs. It has a home folder of its own and leaves nothing behind.',
    options: {
      fast: { type: 'flag', summary: 'do not wait for Enter between the steps' },
      dir: { type: 'path', summary: 'do it in this folder, which must be new or empty, and keep it' },
      keep: { type: 'flag', summary: 'keep the temporary folder' },
    },
    examples: [
      { line: 'varve demo', what: 'step by step' },
      { line: 'varve demo --fast --dir tour', what: 'at once, and keep everything to look at' },
    ],
  },
} as const satisfies CommandRows;

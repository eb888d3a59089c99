// GNU make: one rule a task. It looks at times of files and never at commands, so each rule also needs a file that stands for what the task
// is, as careful Makefiles name their scripts; a changed task is one whose file was touched.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { commandOf, type Engine } from '../harness/engine.ts';
import { leavesOf } from '../harness/graphs.ts';
import { outputFolder, printedVersion, programOf } from './folder.ts';

export const make: Engine = {
  name: 'make',
  note: '`make -r -j2`; every rule also needs a file that stands for its command, since make does not look at commands; a changed task is one whose file was touched',
  version: () => printedVersion(programOf('make', 'make'), '--version'),
  most: () => 20_000,
  prepare(graph, folder) {
    const { tasks } = graph;
    const { outputs, forgetAllBut } = outputFolder(folder);
    mkdirSync(join(folder, 'c'));
    const touch = (id: number): void => writeFileSync(join(folder, 'c', String(id)), '');
    const rules = tasks.map(({ id, parents }) => {
      touch(id);
      const needs = [`c/${id}`, ...parents.map((parent) => `o/${parent}`)].join(' ');
      return `o/${id}: ${needs}\n\t@${commandOf(id, `o/${id}`)}\n`;
    });
    // Intermediates that are gone are made again only for what needs them.
    const all = `.SECONDARY:\nall: ${leavesOf(graph)
      .map((id) => `o/${id}`)
      .join(' ')}\n`;
    writeFileSync(join(folder, 'Makefile'), all + rules.join(''));
    return {
      // Without -r it would look for a built-in rule for every file that has none.
      argv: ['make', '-r', '-s', '-j2', 'all'],
      cwd: folder,
      outputs,
      change: touch,
      dropIntermediates: forgetAllBut,
    };
  },
};

// Snakemake: one rule with a wildcard, parents and commands from a table, as generated Snakefiles do it.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { commandOf, type Engine } from '../harness/engine.ts';
import { leavesOf } from '../harness/graphs.ts';
import { outputFolder, programOf, pythonPackage } from './folder.ts';

const snakefile = `
import json
tasks = json.load(open('tasks.json'))
rule all:
    input: [f'o/{i}' for i in json.load(open('results.json'))]
rule one:
    input: lambda w: [f'o/{p}' for p in tasks[w.i]['parents']]
    output: 'o/{i}'
    wildcard_constraints: i='[0-9]+'
    params: command=lambda w: tasks[w.i]['command']
    shell: '{params.command}'
`;

export const snakemake: Engine = {
  name: 'Snakemake',
  note: '`snakemake --cores 2`, one rule with a wildcard; commands are parameters, whose changes it notices',
  version: () => pythonPackage('snakemake'),
  most: (shape, scenario) => (shape === 'chain' || scenario !== 'cold' ? 200 : 2000),
  prepare(graph, folder) {
    const { tasks } = graph;
    writeFileSync(join(folder, 'results.json'), JSON.stringify(leavesOf(graph)));
    const { outputs, forgetAllBut } = outputFolder(folder);
    const table = Object.fromEntries(
      tasks.map(({ id, parents }) => [id, { parents, command: commandOf(id, `o/${id}`) }]),
    );
    const write = (): void => writeFileSync(join(folder, 'tasks.json'), JSON.stringify(table));
    write();
    writeFileSync(join(folder, 'Snakefile'), snakefile);
    return {
      argv: [programOf('snakemake', 'snakemake')!, '--cores', '2', '--quiet', 'all'],
      cwd: folder,
      outputs,
      change(id, edition) {
        table[id]!.command = commandOf(id, `o/${id}`, edition);
        write();
      },
      dropIntermediates: forgetAllBut,
    };
  },
};

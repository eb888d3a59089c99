// Luigi: one task class with the file as its target, two workers. It looks only at whether files are there.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { commandOf, type Engine } from '../harness/engine.ts';
import { leavesOf } from '../harness/graphs.ts';
import { outputFolder, programOf, pythonPackage } from './folder.ts';

const flow = `
import json, subprocess, luigi
tasks = {t['id']: t for t in json.load(open('tasks.json'))}

class One(luigi.Task):
    i = luigi.IntParameter()
    def requires(self):
        return [One(i=p) for p in tasks[self.i]['parents']]
    def output(self):
        return luigi.LocalTarget('o/%d' % self.i)
    def run(self):
        subprocess.run(['sh', '-c', tasks[self.i]['command']], check=True)

class All(luigi.WrapperTask):
    def requires(self):
        return [One(i=i) for i in json.load(open('results.json'))]
`;

export const luigi: Engine = {
  name: 'Luigi',
  note: 'local scheduler, two workers; a changed task is one whose file was removed, which it notices only of results',
  version: () => pythonPackage('luigi'),
  most: () => 2000,
  prepare(graph, folder) {
    const { tasks } = graph;
    const results = new Set(leavesOf(graph));
    writeFileSync(join(folder, 'results.json'), JSON.stringify([...results]));
    const { outputs, forget, forgetAllBut } = outputFolder(folder);
    const table = tasks.map(({ id, parents }) => ({ id, parents, command: commandOf(id, `o/${id}`) }));
    writeFileSync(join(folder, 'tasks.json'), JSON.stringify(table));
    writeFileSync(join(folder, 'flow.py'), flow);
    const program = programOf('luigi', 'luigi')!;
    return {
      argv: [
        program,
        '--module',
        'flow',
        'All',
        '--local-scheduler',
        '--workers',
        '2',
        '--log-level',
        'ERROR',
      ],
      cwd: folder,
      env: { PYTHONPATH: folder },
      outputs,
      change(id) {
        if (!results.has(id)) return false;
        forget(id);
        return true;
      },
      dropIntermediates: forgetAllBut,
    };
  },
};

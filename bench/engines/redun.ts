// redun: a Python task for each action that returns a script task, two at a time, with its own SQLite database.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { commandOf, type Engine } from '../harness/engine.ts';
import { outputFolder, programOf, pythonPackage } from './folder.ts';

const flow = `
import json
from redun import task, script, File
redun_namespace = 'bench'
tasks = json.load(open('tasks.json'))

@task()
def one(command, out, parents):
    return script(command, outputs=File(out))

@task()
def all_of(results):
    return len(results)

@task()
def main(table: str = ''):
    made = {}
    for t in tasks:
        made[t['id']] = one(t['command'], 'o/%d' % t['id'], [made[p] for p in t['parents']])
    return all_of(list(made.values()))
`;

export const redun: Engine = {
  name: 'redun',
  note: 'script tasks on the local executor with two workers',
  version: () => pythonPackage('redun'),
  most: () => 200,
  prepare({ tasks }, folder) {
    const { outputs } = outputFolder(folder);
    const table = tasks.map(({ id, parents }) => ({ id, parents, command: commandOf(id, `o/${id}`) }));
    let edition = 0;
    const write = (): void => writeFileSync(join(folder, 'tasks.json'), JSON.stringify(table));
    write();
    writeFileSync(join(folder, 'flow.py'), flow);
    mkdirSync(join(folder, '.redun'));
    const config =
      '[backend]\ndb_uri = sqlite:///redun.db\n[executors.default]\ntype = local\nmax_workers = 2\n';
    writeFileSync(join(folder, '.redun', 'redun.ini'), config);
    return {
      get argv() {
        return [programOf('redun', 'redun')!, 'run', 'flow.py', 'main', '--table', String(edition)];
      },
      cwd: folder,
      outputs,
      change(id, to) {
        edition = to;
        table[id - 1]!.command = commandOf(id, `o/${id}`, to);
        write();
      },
    };
  },
};

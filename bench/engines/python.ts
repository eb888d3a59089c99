// Prefect, Airflow and DBOS: the graph as a Python program, run in one process without servers of their own, two tasks at a time where they can.
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { commandOf, type Engine } from '../harness/engine.ts';
import { outputFolder, peersFolder, pythonPackage } from './folder.ts';

const prefectFlow = `
import json, subprocess
from prefect import flow, task
from prefect.task_runners import ThreadPoolTaskRunner
tasks = json.load(open('tasks.json'))

@task
def one(command):
    subprocess.run(['sh', '-c', command], check=True)

@flow(task_runner=ThreadPoolTaskRunner(max_workers=2), log_prints=False)
def main():
    made = {}
    for t in tasks:
        made[t['id']] = one.submit(t['command'], wait_for=[made[p] for p in t['parents']])
    for future in made.values():
        future.result()

if __name__ == '__main__':
    main()
`;

const dbosFlow = `
import json, subprocess
from dbos import DBOS
tasks = json.load(open('tasks.json'))
DBOS(config={'name': 'bench', 'system_database_url': 'sqlite:///dbos.sqlite', 'log_level': 'ERROR', 'run_admin_server': False})

@DBOS.step()
def shell(command):
    subprocess.run(['sh', '-c', command], check=True)

@DBOS.workflow()
def one(command):
    shell(command)

if __name__ == '__main__':
    DBOS.launch()
    DBOS.register_queue('bench', worker_concurrency=2, polling_interval_sec=0.01)
    for handle in [DBOS.enqueue_workflow('bench', one, t['command']) for t in tasks]:
        handle.get_result()
    DBOS.destroy()
`;

const airflowDag = `
import json, os
from datetime import datetime
from airflow.sdk import DAG
from airflow.providers.standard.operators.bash import BashOperator
here = os.environ['BENCH_FOLDER']
with DAG('bench', start_date=datetime(2024, 1, 1), schedule=None) as dag:
    made = {}
    for t in json.load(open(here + '/tasks.json')):
        made[t['id']] = BashOperator(task_id='t%d' % t['id'], bash_command=t['command'], cwd=here)
        for p in t['parents']:
            made[p] >> made[t['id']]
`;

interface Program {
  readonly file: string;
  readonly text: string;
  readonly argv: readonly string[];
  readonly env?: (folder: string) => Record<string, string>;
  readonly before?: (python: string, folder: string, env: Record<string, string>) => void;
}

function pythonEngine(
  name: string,
  peer: string,
  note: string,
  most: Engine['most'],
  program: Program,
): Engine {
  return {
    name,
    note,
    version: () => pythonPackage(peer),
    most,
    prepare({ tasks }, folder) {
      const { outputs } = outputFolder(folder);
      const table = tasks.map(({ id, parents }) => ({ id, parents, command: commandOf(id, `o/${id}`) }));
      writeFileSync(join(folder, 'tasks.json'), JSON.stringify(table));
      mkdirSync(join(folder, 'dags'), { recursive: true });
      writeFileSync(join(folder, program.file), program.text);
      const env = program.env?.(folder) ?? {};
      const bin = join(peersFolder, peer, 'bin');
      program.before?.(bin, folder, env);
      const [first, ...rest] = program.argv;
      return { argv: [join(bin, first!), ...rest], cwd: folder, env, outputs };
    },
  };
}

const onlyCold =
  (count: number, shapes = ['fan', 'chain', 'layers', 'diamond']): Engine['most'] =>
  (shape, scenario) =>
    scenario === 'cold' && shapes.includes(shape) ? count : 0;

export const prefect = pythonEngine(
  'Prefect',
  'prefect',
  'a flow in one process with its temporary API, threads for two tasks',
  onlyCold(200),
  {
    file: 'flow.py',
    text: prefectFlow,
    argv: ['python', 'flow.py'],
    env: (folder) => ({
      PREFECT_HOME: join(folder, 'prefect'),
      PREFECT_LOGGING_LEVEL: 'ERROR',
      PREFECT_SERVER_ANALYTICS_ENABLED: 'false',
      PREFECT_SERVER_ALLOW_EPHEMERAL_MODE: 'true',
      PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS: '60',
      DO_NOT_TRACK: '1',
    }),
  },
);

export const dbos = pythonEngine(
  'DBOS',
  'dbos',
  'a durable workflow with one step for each task, from a queue with concurrency 2, on SQLite',
  onlyCold(2000, ['fan']),
  { file: 'flow.py', text: dbosFlow, argv: ['python', 'flow.py'] },
);

export const airflow = pythonEngine(
  'Airflow',
  'apache-airflow',
  '`airflow dags test` on SQLite: one process, one task after another; its scheduler and executor are not measured',
  onlyCold(20),
  {
    file: 'dags/flow.py',
    text: airflowDag,
    argv: ['airflow', 'dags', 'test', 'bench'],
    env: (folder) => ({
      AIRFLOW_HOME: join(folder, 'airflow'),
      AIRFLOW__CORE__DAGS_FOLDER: join(folder, 'dags'),
      AIRFLOW__CORE__LOAD_EXAMPLES: 'False',
      AIRFLOW__LOGGING__LOGGING_LEVEL: 'ERROR',
      BENCH_FOLDER: folder,
    }),
    before(bin, folder, env) {
      execFileSync(join(bin, 'airflow'), ['db', 'migrate'], {
        cwd: folder,
        env: { PATH: process.env.PATH, HOME: folder, ...env },
        stdio: 'pipe',
      });
    },
  },
);

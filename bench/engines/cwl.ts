// cwltool and Toil: the graph as a CWL workflow with a step for each task.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { commandOf, type Engine, type Graph } from '../harness/engine.ts';
import { peersFolder, printedVersion, programOf, pythonPackage } from './folder.ts';

function documentText({ tasks }: Graph, editions: ReadonlyMap<number, number>): string {
  const steps = Object.fromEntries(
    tasks.map(({ id, parents }) => [
      `t${id}`,
      {
        run: {
          class: 'CommandLineTool',
          requirements: { ShellCommandRequirement: {} },
          arguments: [{ valueFrom: commandOf(id, 'f', editions.get(id)), shellQuote: false }],
          inputs: parents.length > 0 ? { before: 'File[]' } : {},
          outputs: { out: { type: 'File', outputBinding: { glob: 'f' } } },
        },
        in:
          parents.length > 0
            ? { before: { source: parents.map((p) => `t${p}/out`), linkMerge: 'merge_flattened' } }
            : {},
        out: ['out'],
      },
    ]),
  );
  const last = tasks.at(-1)!.id;
  return JSON.stringify({
    cwlVersion: 'v1.2',
    class: 'Workflow',
    requirements: { MultipleInputFeatureRequirement: {} },
    inputs: {},
    outputs: { last: { type: 'File', outputSource: `t${last}/out` } },
    steps,
  });
}

function cwlEngine(
  name: string,
  note: string,
  version: () => string | undefined,
  most: Engine['most'],
  argv: (document: string, folder: string) => readonly string[],
): Engine {
  return {
    name,
    note,
    version,
    most,
    prepare(graph, folder) {
      const document = join(folder, 'workflow.cwl');
      const editions = new Map<number, number>();
      const write = (): void => writeFileSync(document, documentText(graph, editions));
      write();
      return {
        argv: argv(document, folder),
        cwd: folder,
        env: { PATH: `${join(peersFolder, 'toil', 'bin')}:${process.env.PATH}` },
        change(id, edition) {
          editions.set(id, edition);
          write();
        },
      };
    },
  };
}

export const cwltool = cwlEngine(
  'cwltool',
  'a step for each task, `--parallel`, and `--cachedir` so that it reuses',
  () => printedVersion(programOf('cwltool', 'cwltool'), '--version'),
  () => 200,
  (document, folder) => [
    programOf('cwltool', 'cwltool')!,
    '--quiet',
    '--parallel',
    '--cachedir',
    join(folder, 'cache'),
    '--outdir',
    join(folder, 'out'),
    document,
  ],
);

export const toil = cwlEngine(
  'Toil',
  'the same CWL document, `toil-cwl-runner --batchSystem single_machine --maxCores 2`',
  () => pythonPackage('toil'),
  (_, scenario) => (scenario === 'cold' ? 20 : 0),
  (document, folder) => [
    programOf('toil', 'toil-cwl-runner')!,
    '--batchSystem',
    'single_machine',
    '--maxCores',
    '2',
    '--defaultCores',
    '1',
    '--defaultMemory',
    '100M',
    '--defaultDisk',
    '10M',
    '--logOff',
    '--jobStore',
    join(folder, 'jobs'),
    '--clean',
    'always',
    '--outdir',
    join(folder, 'out'),
    document,
  ],
);

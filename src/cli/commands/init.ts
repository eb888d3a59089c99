// `varve init`: a project that runs as it is.
import { constants, copyFile, mkdir, readdir, stat } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { packagePath } from '../../assets.ts';
import type { CommandRun } from '../command-table.ts';
import { cliErrors } from '../error-codes.ts';
import { ownName } from '../own-name.ts';

/** npm leaves files of this name out of packages, so the template calls it otherwise. */
const renamed: Readonly<Record<string, string>> = { gitignore: '.gitignore' };

export const run: CommandRun<'init'> = async ({ arguments: { folder = '.' } }, { environment, output }) => {
  const target = resolve(folder);
  const files = await projectFiles();
  const taken: string[] = [];
  for (const [name] of files) if (await exists(join(target, name))) taken.push(name);
  if (taken.length > 0) throw cliErrors.CLI_INIT_EXISTS(folder, taken.join(', '));
  for (const [name, source] of files) {
    await mkdir(dirname(join(target, name)), { recursive: true });
    await copyFile(source, join(target, name), constants.COPYFILE_EXCL);
  }
  const names = files.map(([name]) => name);
  output.result({ folder: target, files: names }, () => nextSteps(folder, names, ownName(environment)));
  return 0;
};

/** Every file of a new project, with the file of the package that it is a copy of. */
async function projectFiles(): Promise<[string, string][]> {
  const template = packagePath('templates/project');
  const entries = await readdir(template, { recursive: true, withFileTypes: true });
  const copies = entries
    .filter((entry) => entry.isFile())
    .map((entry): [string, string] => {
      const name = relative(template, join(entry.parentPath, entry.name));
      return [renamed[name] ?? name, join(template, name)];
    });
  const schema: [string, string] = ['workflow.schema.json', packagePath('schema/workflow.schema.json')];
  return [...copies, schema].sort(([a], [b]) => (a < b ? -1 : 1));
}

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined)) !== undefined;
}

function nextSteps(folder: string, names: readonly string[], varve: string): string {
  const steps: readonly (readonly [string, string])[] = [
    ['run workflow.yaml --outdir results', 'run it'],
    ['run workflow.yaml', 'again: nothing is computed twice'],
    ['why 2', 'why not? README.md goes on from here'],
  ];
  const longest = Math.max(...steps.map(([words]) => words.length));
  return [
    `made a project: ${names.join(', ')}`,
    '',
    'next:',
    ...(folder === '.' ? [] : [`  cd ${/\s/.test(folder) ? `"${folder}"` : folder}`]),
    ...steps.map(([words, why]) => `  ${varve} ${words.padEnd(longest)}   # ${why}`),
  ].join('\n');
}

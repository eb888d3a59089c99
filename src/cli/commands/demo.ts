// `varve demo`: a tour in a folder of its own.
import { copyFile, mkdir, mkdtemp, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { packagePath } from '../../assets.ts';
import { nodeFileSystem } from '../../storage/local/file-system.ts';
import { TreeRemover } from '../../storage/local/remove-tree.ts';
import type { CommandRun } from '../command-table.ts';
import { Guide } from '../demo/guide.ts';
import { tourParts } from '../demo/tour.ts';
import { cliErrors } from '../error-codes.ts';
import { ownName } from '../own-name.ts';

export const run: CommandRun<'demo'> = async ({ options }, { environment, output, signal }) => {
  const kept = options.keep || options.dir !== undefined;
  const folder =
    options.dir === undefined ? await mkdtemp(join(tmpdir(), 'varve-demo-')) : await emptyFolder(options.dir);
  try {
    await copyFile(packagePath('templates/demo/workflow.yaml'), join(folder, 'workflow.yaml'));
    const waits = !options.fast && process.stdin.isTTY === true && process.stdout.isTTY === true;
    const home = join(folder, 'home');
    const guide = new Guide({ folder, home, environment, output, signal, waits });
    guide.say(
      `A tour of Varve, in ${folder}, with a home folder of its own${kept ? '' : '; it is removed at the end'}.`,
    );
    for (const [index, part] of tourParts.entries()) {
      if (index > 0) await guide.pause();
      guide.title(`${index + 1} of ${tourParts.length}: ${part.title}`);
      await part.play(guide);
    }
    guide.title('that was it');
    const varve = ownName(environment);
    guide.say(
      `Make a project of your own with \`${varve} init my-project\`. \`${varve} help\` lists all commands, and every error has a code that \`${varve} errors\` explains.`,
    );
    if (kept) guide.say(`Everything is kept in ${folder}; look at it with: ${varve} runs --home ${home}`);
  } finally {
    if (!kept) await new TreeRemover(nodeFileSystem, tmpdir()).remove(folder);
  }
  return 0;
};

async function emptyFolder(path: string): Promise<string> {
  const folder = resolve(path);
  await mkdir(folder, { recursive: true });
  if ((await readdir(folder)).length > 0) throw cliErrors.CLI_DEMO_FOLDER(path);
  return folder;
}

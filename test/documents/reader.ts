// A reader of the documents: an empty folder, a home, and the commands that the pages speak of.
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { type PageWorld, runPage } from '../../scripts/documents/run-page.ts';

export const root = join(import.meta.dirname, '..', '..');

export interface ReaderOptions {
  /** Paths below the root of the project that the reader has in front of them. */
  readonly has?: readonly string[];
  /** The folder below which the reader begins; all of it unless given. */
  readonly start?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Reads a page (a path below the root) and does everything it says, in a temporary folder. */
export function follow(page: string, { has = [], start = '.', env = {} }: ReaderOptions = {}): void {
  const base = mkdtempSync(join(tmpdir(), 'varve-page-'));
  try {
    const folder = join(base, 'folder');
    mkdirSync(folder);
    for (const name of has) cpSync(join(root, name), join(folder, name), { recursive: true });
    installVarve(base);
    const world: PageWorld = {
      folder: join(folder, start),
      home: join(base, 'home'),
      path: [join(base, 'bin'), dirname(process.execPath)],
      env,
    };
    runPage(join(root, page), world);
  } finally {
    endServer(join(base, 'folder', start, 'server.pid'));
    // Datasets are read-only, which stops everybody but root from removing them.
    spawnSync('chmod', ['-R', 'u+w', base]);
    rmSync(base, { recursive: true, force: true });
  }
}

/** A page that starts a server in the background leaves its number in a file; when the page is wrong, nobody else would end it. */
function endServer(file: string): void {
  if (!existsSync(file)) return;
  try {
    process.kill(Number(readFileSync(file, 'utf8')), 'SIGTERM');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/**
 * The commands and the library as an installation gives them, made of the sources. `npm run check:package` follows the README with
 * npm's own.
 */
function installVarve(base: string): void {
  const program = (name: string, text: string): void => {
    writeFileSync(join(base, 'bin', name), `#!/bin/sh\n${text}\n`);
    chmodSync(join(base, 'bin', name), 0o755);
  };
  mkdirSync(join(base, 'bin'));
  program('varve', `exec "${process.execPath}" "${join(root, 'bin', 'varve.mjs')}" "$@"`);
  program('cwl-runner', `exec "${process.execPath}" "${join(root, 'bin', 'cwl-runner.mjs')}" "$@"`);
  program('npx', 'exec "$@"');
  const library = join(base, 'node_modules', 'varve');
  mkdirSync(library, { recursive: true });
  writeFileSync(
    join(library, 'package.json'),
    '{ "name": "varve", "type": "module", "exports": { ".": "./index.js", "./client": "./client.js" } }',
  );
  const sources = { 'index.js': 'src/index.ts', 'client.js': 'src/api/client/index.ts' };
  for (const [file, source] of Object.entries(sources))
    writeFileSync(join(library, file), `export * from '${join(root, source)}';\n`);
}

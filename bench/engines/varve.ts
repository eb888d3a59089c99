// Varve as it is published: built once from this clone into a folder of its own, with SQLite and its default durability.
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { commandOf, type Engine, type Graph } from '../harness/engine.ts';
import { timed } from '../harness/measure.ts';

const root = join(import.meta.dirname, '..', '..');
let built: { readonly program: string; readonly cache: string } | undefined;

/** The built program, and a cache with the launcher compiled, which happens once on a machine. */
export function builtVarve(): { readonly program: string; readonly cache: string } {
  if (built) return built;
  const folder = mkdtempSync(join(tmpdir(), 'varve-bench-package-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  execFileSync(process.execPath, [join(root, 'scripts', 'build.ts')], { stdio: 'ignore' });
  for (const part of ['bin', 'dist', 'package.json'])
    cpSync(join(root, part), join(folder, part), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  const program = join(folder, 'bin', 'varve.mjs');
  const home = join(folder, 'first');
  mkdirSync(home);
  const document = join(folder, 'first.json');
  writeFileSync(document, JSON.stringify({ name: 'first', actions: [{ id: 'a', command: 'true' }] }));
  timed({ argv: [process.execPath, program, 'run', document], cwd: folder, env: { VARVE_HOME: home } });
  built = { program, cache: join(home, 'cache') };
  return built;
}

/** A home that knows nothing, with the launcher compiled. */
export function freshHome(folder: string): string {
  const home = join(folder, 'home');
  mkdirSync(home, { recursive: true });
  cpSync(builtVarve().cache, join(home, 'cache'), { recursive: true });
  return home;
}

function workflowText({ shape, tasks }: Graph, editions: ReadonlyMap<number, number>): string {
  const actions = tasks.map(({ id, parents }) => ({
    id,
    command: commandOf(id, '"$VARVE_OUTPUT/f"', editions.get(id)),
    ...(parents.length > 0 ? { parentActions: parents } : {}),
  }));
  return JSON.stringify({ name: `${shape} ${tasks.length}`, actions });
}

export const varve: Engine = {
  name: 'Varve',
  version: () => JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version,
  most: () => 20_000,
  prepare(graph, folder) {
    const { program } = builtVarve();
    const home = freshHome(folder);
    const document = join(folder, 'workflow.json');
    const editions = new Map<number, number>();
    const write = (): void => writeFileSync(document, workflowText(graph, editions));
    write();
    const env = { VARVE_HOME: home };
    const call = (...words: string[]): string =>
      execFileSync(process.execPath, [program, ...words], {
        env: { PATH: process.env.PATH, ...env },
        cwd: folder,
        encoding: 'utf8',
        maxBuffer: 1 << 28,
      });
    return {
      argv: [process.execPath, program, 'run', document, '--quiet'],
      cwd: folder,
      env,
      change(id, edition) {
        editions.set(id, edition);
        write();
      },
      dropIntermediates() {
        const stored = JSON.parse(call('datasets', 'ls', '--state', 'STORED', '--limit', '100000', '--json'));
        const names = (stored.datasets ?? stored).map((row: { signature: string }) => row.signature);
        for (let from = 0; from < names.length; from += 1000)
          call('datasets', 'rm', ...names.slice(from, from + 1000));
      },
    };
  },
};

// Where peers are installed, and what is asked of them there: bench/peers has a folder for each, and nothing of it is committed.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

export const peersFolder = join(import.meta.dirname, '..', 'peers');

/** The program of a peer: its own copy in bench/peers if there is one, else that of the machine, else undefined. */
export function programOf(peer: string, program: string): string | undefined {
  const own = join(peersFolder, peer, 'bin', program);
  if (existsSync(own)) return own;
  return spawnSync('sh', ['-c', `command -v ${program}`], { encoding: 'utf8' }).stdout.trim() || undefined;
}

const versions = new Map<string, string | undefined>();

/** The first version number that a command prints. */
export function printedVersion(program: string | undefined, ...args: string[]): string | undefined {
  if (program === undefined) return undefined;
  const key = [program, ...args].join(' ');
  if (!versions.has(key)) {
    const { stdout, stderr, status } = spawnSync(program, args, { encoding: 'utf8' });
    const found = status === 0 ? /\d+\.\d+(\.\d+)*/.exec(stdout + stderr)?.[0] : undefined;
    versions.set(key, found);
  }
  return versions.get(key);
}

/** The version of a Python package in its own environment. */
export function pythonPackage(peer: string): string | undefined {
  const code = `import importlib.metadata as m; print(m.version('${peer}'))`;
  const python = join(peersFolder, peer, 'bin', 'python');
  return existsSync(python) ? printedVersion(python, '-c', code) : undefined;
}

/** The files `o/1`, `o/2`, … that most engines write. */
export function outputFolder(folder: string) {
  const path = join(folder, 'o');
  mkdirSync(path, { recursive: true });
  return {
    outputs: () => readdirSync(path).filter((name) => /^\d+$/.test(name)).length,
    forget: (id: number) => rmSync(join(path, String(id)), { force: true }),
    forgetAllBut(kept: ReadonlySet<number>) {
      for (const name of readdirSync(path)) if (!kept.has(Number(name))) rmSync(join(path, name));
    },
  };
}

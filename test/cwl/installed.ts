// The commands as an installed package has them: the bundle, not the sources, which start several times slower.
import { chmodSync, cpSync, mkdirSync, symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { bundle } from '../../scripts/bundle.ts';

const root = resolve(import.meta.dirname, '../..');

export interface Installed {
  readonly varve: string;
  readonly cwlRunner: string;
}

/** Puts the package into a folder; returns the paths of its commands. */
export async function install(folder: string): Promise<Installed> {
  mkdirSync(folder, { recursive: true });
  await bundle(join(folder, 'dist'));
  for (const name of ['bin', 'package.json'])
    cpSync(join(root, name), join(folder, name), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  const [varve, cwlRunner] = ['varve', 'cwl-runner'].map((name) => join(folder, 'bin', `${name}.mjs`));
  for (const path of [varve, cwlRunner]) chmodSync(path!, 0o755);
  return { varve: varve!, cwlRunner: cwlRunner! };
}

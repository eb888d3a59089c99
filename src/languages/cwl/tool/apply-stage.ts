// Carries out a staging plan on this machine; may be repeated.
import { constants } from 'node:fs';
import { chmod, copyFile, mkdir, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { StageEntry } from './stage-plan.ts';

/** Puts every entry in place; `hostPath` says where on this machine the command's paths are. */
export async function applyStage(
  entries: readonly StageEntry[],
  hostPath: (target: string) => string = (target) => target,
): Promise<void> {
  const made = new Set<string>();
  const makeFolder = async (folder: string): Promise<void> => {
    if (made.has(folder)) return;
    await mkdir(folder, { recursive: true });
    made.add(folder);
  };
  for (const entry of entries) {
    const target = hostPath(entry.target);
    if (entry.kind === 'directory') {
      await makeFolder(target);
      continue;
    }
    await makeFolder(dirname(target));
    await rm(target, { recursive: true, force: true });
    if (entry.kind === 'link') await symlink(entry.source, target);
    else if (entry.kind === 'copy') await copyWritable(entry.source, target);
    else await writeFile(target, entry.contents, { mode: entry.writable ? 0o644 : 0o444 });
  }
}

/** Copies a file or tree so that its owner may write to it; links inside are followed. */
export async function copyWritable(source: string, target: string): Promise<void> {
  const facts = await stat(source);
  if (!facts.isDirectory()) {
    await copyFile(source, target, constants.COPYFILE_FICLONE);
    await chmod(target, (facts.mode & 0o777) | 0o200);
    return;
  }
  await mkdir(target, { recursive: true });
  for (const name of await readdir(source)) await copyWritable(join(source, name), join(target, name));
  await chmod(target, 0o755);
}

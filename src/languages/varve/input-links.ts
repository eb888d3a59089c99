// An input that stands for several files or datasets is given as a folder of numbered links in their order: `00000`,
// `00001`, … with the extension of the file, so that tools which look at it are content.
import { mkdir, symlink } from 'node:fs/promises';
import { basename, join } from 'node:path';

const extension = /(\.[A-Za-z][A-Za-z0-9]{0,9})?\.[A-Za-z0-9]{1,10}$/;
/** Links made at the same time; more do not make a disk faster. */
const together = 32;

/** Makes the folder and returns its path; repeating it is no error. */
export async function linkAll(folder: string, targets: readonly string[], files: boolean): Promise<string> {
  await mkdir(folder, { recursive: true });
  const digits = Math.max(5, String(targets.length - 1).length);
  for (let from = 0; from < targets.length; from += together) {
    const links = targets.slice(from, from + together).map((target, offset) => {
      const number = String(from + offset).padStart(digits, '0');
      const name = files ? number + (extension.exec(basename(target))?.[0] ?? '') : number;
      return linkOne(target, join(folder, name));
    });
    await Promise.all(links);
  }
  return folder;
}

/** Makes one link; one that is there already was made by an earlier try of the same attempt. */
export async function linkOne(target: string, path: string): Promise<void> {
  try {
    await symlink(target, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

// Removes uploads that no submission ever used, and what broken uploads left. A file that a submission uses is linked into its folder, so
// its number of links tells: what a run may still need is never touched.
import { lstat, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

const everyMs = 3_600_000;
/** How long an upload waits for its submission. */
export const unusedMs = 24 * 3_600_000;

/** Removes what has lain below `folder` unused since `before`; returns how many things went. */
export async function cleanUploads(folder: string, before: number): Promise<number> {
  let removed = 0;
  for (const part of await children(join(folder, 'parts'))) {
    const facts = await lstat(part).catch(() => undefined);
    if (!facts || facts.ctimeMs >= before) continue;
    await rm(part, { recursive: true, force: true });
    removed += 1;
  }
  for (const owner of await children(join(folder, 'files')))
    for (const group of await children(owner))
      for (const file of await children(group)) {
        const facts = await lstat(file).catch(() => undefined);
        if (!facts?.isFile() || facts.nlink > 1 || facts.ctimeMs >= before) continue;
        await rm(file, { force: true });
        removed += 1;
      }
  return removed;
}

/** Cleans now and then until stopped. */
export function keepUploadsClean(
  folder: string,
  onProblem: (error: unknown, doing: string) => void,
): { stop(): void } {
  const clean = (): void => {
    cleanUploads(folder, Date.now() - unusedMs).catch((error) => onProblem(error, 'clean uploads'));
  };
  const timer = setInterval(clean, everyMs).unref();
  clean();
  return { stop: () => clearInterval(timer) };
}

async function children(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  return names.map((name) => join(folder, name));
}

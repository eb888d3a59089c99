// `varve store backup`: one consistent state of the store in a new file.
import { existsSync, renameSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { storeErrors } from '../../store/error-codes.ts';
import type { CommandRun } from '../command-table.ts';
import { copyWithReport } from '../copy-report.ts';

export const run: CommandRun<'store backup'> = async ({ arguments: given }, { config, output }) => {
  const file = resolve(given.file);
  if (existsSync(file)) throw storeErrors.STORE_TARGET_EXISTS(file);
  const part = `${file}.part-${process.pid}`;
  try {
    await copyWithReport((await config()).config.store.url, `sqlite:${part}`, output);
    renameSync(part, file);
  } finally {
    for (const end of ['', '-wal', '-shm', '-bell']) rmSync(part + end, { recursive: true, force: true });
  }
  return 0;
};

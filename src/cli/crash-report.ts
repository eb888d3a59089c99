// Keeps the details of an unexpected error for a bug report, out of the user's sight.
import { mkdirSync, writeFileSync } from 'node:fs';
import { arch, platform, release, tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { version } from '../version.ts';

/** Everything a developer needs: versions, the command line without passwords, the error with its causes. */
export function crashReport(error: unknown, argv: readonly string[], at: Date): string {
  return [
    `varve ${version}, node ${process.version}, ${platform()} ${release()} ${arch()}`,
    `at ${at.toISOString()}`,
    `varve ${argv.map(maskPasswords).join(' ')}`,
    '',
    maskPasswords(inspect(error, { depth: 6 })),
    '',
  ].join('\n');
}

/** Writes the report below the home folder, or among temporary files when that fails; gives the path. */
export function writeCrashReport(home: string, report: string, at: Date): string {
  const name = `${at.toISOString().replace(/[:.]/g, '-')}-${process.pid}.txt`;
  for (const folder of [join(home, 'crash-reports'), tmpdir()]) {
    try {
      mkdirSync(folder, { recursive: true });
      const path = join(folder, folder === tmpdir() ? `varve-crash-${name}` : name);
      writeFileSync(path, report, { mode: 0o600, flag: 'wx' });
      return path;
    } catch {
      // The next folder may do; with no folder at all the message still reaches the user.
    }
  }
  return 'no file (none could be written)';
}

/** The text with the passwords of URLs hidden. */
export function maskPasswords(text: string): string {
  return text.replace(/(\w+:\/\/[^\s:/@]*):[^\s@]*@/g, '$1:***@');
}

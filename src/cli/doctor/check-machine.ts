// Checks of the machine: Node, the folders that Varve writes to, and the programs that it can use.
import { execFile } from 'node:child_process';
import { access, constants, stat, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { formatBytes } from '../../core/units.ts';
import type { Finding } from './finding.ts';

const execute = promisify(execFile);
const leastNode = 24;
const littleSpaceBytes = 1e9;
const programTimeoutMs = 5000;

/** Is this Node new enough? */
export function checkNode(version: string): Finding {
  const subject = 'node';
  const fits = Number.parseInt(version, 10) >= leastNode;
  return fits
    ? { subject, level: 'ok', detail: version }
    : { subject, level: 'error', detail: `${version} is too old; Varve needs ${leastNode} or newer` };
}

/** Can the folder, or the nearest one above it that exists, be written to, and is there space? */
export async function checkFolder(subject: string, folder: string): Promise<Finding[]> {
  const existing = await nearestExisting(folder);
  const madeLater = existing === folder ? '' : ' (will be created)';
  try {
    await access(existing, constants.W_OK | constants.X_OK);
  } catch {
    return [{ subject, level: 'error', detail: `${existing} cannot be written to` }];
  }
  const { bavail, blocks, bsize } = await statfs(existing);
  const free = bavail * bsize;
  const space = `${formatBytes(free)} free of ${formatBytes(blocks * bsize)}`;
  return [
    { subject, level: 'ok', detail: `${folder}${madeLater}` },
    { subject: `${subject}: space`, level: free < littleSpaceBytes ? 'warning' : 'ok', detail: space },
  ];
}

async function nearestExisting(folder: string): Promise<string> {
  let current = folder;
  while (dirname(current) !== current) {
    const found = await stat(current).catch(() => undefined);
    if (found?.isDirectory()) return current;
    current = dirname(current);
  }
  return current;
}

/** The first of several programs that answers to `--version`, or what its absence costs. */
export async function checkPrograms(
  subject: string,
  programs: readonly string[],
  cost: string,
): Promise<Finding> {
  for (const program of programs) {
    try {
      const { stdout } = await execute(program, ['--version'], { timeout: programTimeoutMs });
      return { subject, level: 'ok', detail: stdout.split('\n')[0]!.trim() };
    } catch {
      // Not installed or not usable: the next one may be.
    }
  }
  return { subject, level: 'missing', detail: `none of ${programs.join(', ')}; ${cost}` };
}

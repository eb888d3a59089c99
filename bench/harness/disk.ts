// What was written to the device below a folder, as the kernel counts it.
import { readFileSync, statSync } from 'node:fs';

/** Bytes written to the block device of a folder since the machine started; zero differences where it has none of its own. */
export function writtenBytes(folder: string): number {
  const { dev } = statSync(folder);
  const [major, minor] = [(dev >> 8) & 0xfff, (dev & 0xff) | ((dev >> 12) & 0xfff00)];
  for (const line of readFileSync('/proc/diskstats', 'utf8').split('\n')) {
    const fields = line.trim().split(/\s+/);
    if (Number(fields[0]) === major && Number(fields[1]) === minor) return Number(fields[9]) * 512;
  }
  return 0;
}

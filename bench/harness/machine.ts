// What a reader has to know about the machine to judge figures.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, release, tmpdir, totalmem } from 'node:os';

export interface Machine {
  readonly processor: string;
  readonly cores: number;
  readonly memoryGigabytes: number;
  readonly system: string;
  readonly fileSystem: string;
  readonly node: string;
  /** Over the last minute, the benchmark's own part of it included. */
  readonly loadAverage?: number;
}

export function machineFacts(): Machine {
  const name = /PRETTY_NAME="(.*)"/.exec(readFileSync('/etc/os-release', 'utf8'))?.[1] ?? 'Linux';
  return {
    processor: cpus()[0]?.model.trim() ?? 'unknown',
    cores: availableParallelism(),
    memoryGigabytes: Math.round(totalmem() / 2 ** 30),
    system: `${name}, Linux ${release()}`,
    fileSystem: fileSystemOf(tmpdir()),
    node: process.versions.node,
    loadAverage: Number(loadavg()[0]!.toFixed(1)),
  };
}

/** The type of the file system that a folder lies on, of the mount whose device it has. */
function fileSystemOf(folder: string): string {
  const out = execFileSync('df', ['--output=fstype', folder], { encoding: 'utf8' });
  return out.trim().split('\n').at(-1) ?? 'unknown';
}

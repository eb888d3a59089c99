// How long the command takes to start, as a ratio to an empty Node: `varve --version` and a few others of the packed package, and
// the sources. The programs take turns, so that a busy machine slows all of them alike; medians count.
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const rounds = Number(process.argv[2] ?? 40);
const goal = 1.5;
const root = join(import.meta.dirname, '..');
const work = mkdtempSync(join(tmpdir(), 'varve-startup-'));

execFileSync(process.execPath, [join(root, 'scripts', 'build.ts')], { stdio: 'ignore' });
for (const part of ['bin', 'dist', 'package.json']) {
  cpSync(join(root, part), join(work, part), { recursive: true });
}
symlinkSync(join(root, 'node_modules'), join(work, 'node_modules'));

const packed = join(work, 'bin', 'varve.mjs');
const sources = join(root, 'bin', 'varve.mjs');
const programs: readonly [name: string, args: readonly string[]][] = [
  ['node -e 0', ['-e', '0']],
  ['varve --version', [packed, '--version']],
  ['varve version', [packed, 'version']],
  ['varve --help', [packed, '--help']],
  ['varve config show', [packed, 'config', 'show']],
  ['varve --version, from source', [sources, '--version']],
  ['varve config show, from source', [sources, 'config', 'show']],
];

const env = { PATH: process.env.PATH, HOME: work, VARVE_HOME: join(work, 'home') };
const times = programs.map((): number[] => []);
for (let round = -2; round < rounds; round += 1) {
  for (const [index, [name, args]] of programs.entries()) {
    const started = performance.now();
    const { status, stderr } = spawnSync(process.execPath, args, { env, encoding: 'utf8' });
    const elapsed = performance.now() - started;
    if (status !== 0) throw new Error(`${name}: ${stderr}`);
    // The first rounds fill the compile cache and the page cache.
    if (round >= 0) times[index]!.push(elapsed);
  }
}
rmSync(work, { recursive: true, force: true });

const medians = times.map((list) => list.sort((a, b) => a - b)[Math.floor(list.length / 2)]!);
for (const [index, [name]] of programs.entries()) {
  const ratio = (medians[index]! / medians[0]!).toFixed(2);
  console.log(`${name.padEnd(32)} ${medians[index]!.toFixed(1).padStart(6)} ms  ${ratio} ×`);
}
const reached = medians[1]! <= goal * medians[0]!;
console.log(
  `varve --version within ${goal} × of an empty Node: ${reached ? 'yes' : 'NO'} (${rounds} rounds)`,
);
process.exitCode = reached ? 0 : 1;

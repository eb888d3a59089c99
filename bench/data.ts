// Data through many steps: `npm run bench -- data [--steps 20] [--megabytes 50] [--rounds 3]`. Every step reads what the one before wrote and
// writes as much. The minimum is a shell loop that does only that; what an engine writes beyond it was copied.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { printedVersion, programOf } from './engines/folder.ts';
import { make } from './engines/make.ts';
import { snakemake } from './engines/snakemake.ts';
import { builtVarve, freshHome, varve } from './engines/varve.ts';
import { writtenBytes } from './harness/disk.ts';
import { type Command, median, timed } from './harness/measure.ts';
import { type Point, recordPoints } from './harness/results.ts';
import { printPoints, say } from './harness/terminal.ts';

const { values } = parseArgs({
  options: {
    steps: { type: 'string', default: '20' },
    megabytes: { type: 'string', default: '50' },
    rounds: { type: 'string', default: '3' },
  },
});
const steps = Number(values.steps);
const megabytes = Number(values.megabytes);
const first = `head -c ${megabytes}000000 /dev/zero | tr '\\0' x`;
const ids = Array.from({ length: steps }, (_, i) => i + 1);

/** What a step does; all engines run the same words. */
const step = (id: number, before: string, out: string): string =>
  id === 1 ? `${first} > ${out}` : `cat ${before} > ${out}`;

const version = (): string => 'of the system';
const shell = { name: 'sh', note: 'a loop: the minimum', version };
const careful = {
  name: 'sh, digests, sync',
  note: 'the loop, with `openssl dgst -sha256` of every output beside the next step, and everything on disk at the end',
  version: () => printedVersion(programOf('openssl', 'openssl'), 'version'),
};

const entrants: Readonly<Record<string, (folder: string) => Command>> = {
  Varve(folder) {
    const actions = ids.map((id) => ({
      id,
      command: step(id, `"$VARVE_INPUT_${id - 1}/f"`, '"$VARVE_OUTPUT/f"'),
      ...(id > 1 ? { parentActions: [id - 1] } : {}),
    }));
    writeFileSync(join(folder, 'flow.json'), JSON.stringify({ name: 'data', actions }));
    const argv = [process.execPath, builtVarve().program, 'run', join(folder, 'flow.json'), '--quiet'];
    return { argv, cwd: folder, env: { VARVE_HOME: freshHome(folder) } };
  },
  make(folder) {
    const rules = ids.map(
      (id) => `f${id}: ${id > 1 ? `f${id - 1}` : ''}\n\t@${step(id, `f${id - 1}`, `f${id}`)}\n`,
    );
    writeFileSync(join(folder, 'Makefile'), `all: f${steps}\n${rules.join('')}`);
    return { argv: ['make', '-s', 'all'], cwd: folder };
  },
  Snakemake(folder) {
    const rules = ids.map(
      (id) =>
        `rule s${id}:\n${id > 1 ? `    input: 'f${id - 1}'\n` : ''}    output: 'f${id}'\n    shell: ${JSON.stringify(step(id, '{input}', '{output}'))}\n`,
    );
    writeFileSync(join(folder, 'Snakefile'), rules.toReversed().join(''));
    return {
      argv: [programOf('snakemake', 'snakemake')!, '--cores', '2', '--quiet'],
      cwd: folder,
    };
  },
  sh(folder) {
    const script = ids.map((id) => step(id, `f${id - 1}`, `f${id}`)).join('\n');
    return { argv: ['sh', '-c', script], cwd: folder };
  },
  'sh, digests, sync'(folder) {
    const lines = ids.map(
      (id) => `${step(id, `f${id - 1}`, `f${id}`)}\nopenssl dgst -sha256 f${id} > d${id} &`,
    );
    return { argv: ['sh', '-c', `${lines.join('\n')}\nwait\nsync -f .`], cwd: folder };
  },
};

const engines = [varve, shell, careful, make, snakemake].filter((engine) => engine.version() !== undefined);
const seconds: Record<string, number[]> = {};
const written: Record<string, number[]> = {};
const peak: Record<string, number> = {};
for (let round = 0; round < Number(values.rounds); round += 1) {
  const order = round % 2 === 0 ? engines : engines.toReversed();
  for (const { name } of order) {
    say(`data: ${name}, round ${round + 1}`);
    const folder = mkdtempSync(join(tmpdir(), 'varve-bench-data-'));
    mkdirSync(join(folder, 'o'));
    const command = entrants[name]!(folder);
    execFileSync('sync');
    const before = writtenBytes(folder);
    const timing = timed(command);
    execFileSync('sync');
    (written[name] ??= []).push(writtenBytes(folder) - before);
    (seconds[name] ??= []).push(timing.seconds);
    peak[name] = Math.round(timing.peakMegabytes);
    rmSync(folder, { recursive: true, force: true });
  }
}
say('');
const points = engines.map(({ name }): Point => {
  const bytes = median(written[name]!);
  return {
    workload: `${steps} steps of ${megabytes} MB`,
    scenario: 'cold',
    size: steps * megabytes,
    engine: name,
    seconds: seconds[name]!,
    peakMegabytes: peak[name]!,
    more: { 'MB written': Math.round(bytes / 1e6), 'minimum MB': steps * megabytes },
  };
});
recordPoints(
  { part: 'data', title: '1 GB of data through 20 steps', command: 'npm run bench -- data' },
  engines,
  points,
);
printPoints(points);

// The public CWL conformance suite and the program that judges a runner by it, when they are at hand: `../shared`, or VARVE_CWL_SUITE and
// VARVE_CWL_JUDGE.
import { execFile, execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

const root = resolve(import.meta.dirname, '../..');
const suite = process.env.VARVE_CWL_SUITE ?? resolve(root, '../shared/cwl-v1.2');
export const judge = process.env.VARVE_CWL_JUDGE ?? resolve(root, '../shared/cwl_conformance.py');
export const suiteTests = join(suite, 'conformance_tests.yaml');
/** Names of the tests that need no container. */
export const feasibleList = join(suite, 'feasible-without-containers.txt');
/** What is missing, if anything is. */
export const absentSuite = [judge, feasibleList].find((path) => !existsSync(path));

export interface Verdict {
  readonly id: string;
  readonly status: string;
  readonly reason: string;
}

export function feasibleIds(): string[] {
  return readFileSync(feasibleList, 'utf8').trim().split('\n');
}

/**
 * What the judge says of the chosen tests; `runner` is a command to which tool and job are appended. Sleeping tests take no core, so more of
 * them run at a time than a small machine has cores.
 */
export async function judged(
  folder: string,
  runner: string,
  tests: string,
  choice: readonly string[],
  env: Readonly<Record<string, string>>,
  atATime = 4,
): Promise<readonly Verdict[]> {
  const report = join(folder, 'report.json');
  const args = [judge, '--runner', runner, '--suite', tests, ...choice, '--json', report];
  const judging = promisify(execFile)('python3', [...args, '--jobs', `${atATime}`, '--quiet'], {
    env: { ...process.env, ...env },
    maxBuffer: 1 << 26,
  });
  // Its own exit code only says that some test failed; the report says which.
  await judging.catch(() => undefined);
  return (JSON.parse(await readFile(report, 'utf8')) as { results: Verdict[] }).results;
}

/** Some tests call plain `python`. */
export function pathWithPython(folder: string): string {
  const bin = join(folder, 'bin');
  mkdirSync(bin, { recursive: true });
  const python = execFileSync('sh', ['-c', 'command -v python3'], { encoding: 'utf8' });
  symlinkSync(python.trim(), join(bin, 'python'));
  return `${bin}:${process.env.PATH}`;
}

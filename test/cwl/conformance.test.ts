// The public CWL conformance suite with the installed `cwl-runner`, when the suite is at hand: `../shared/cwl-v1.2` or VARVE_CWL_SUITE. It
// runs twice on one store; the second time must reuse, and both must be right.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { install } from './installed.ts';

const root = resolve(import.meta.dirname, '../..');
const suite = process.env.VARVE_CWL_SUITE ?? resolve(root, '../shared/cwl-v1.2');
const judge = process.env.VARVE_CWL_JUDGE ?? resolve(root, '../shared/cwl_conformance.py');
const list = join(suite, 'feasible-without-containers.txt');
const absent = [judge, list].find((path) => !existsSync(path));

test('every conformance test that needs no container passes, and again on the same store', {
  skip: absent === undefined ? false : `no CWL conformance suite: ${absent} is absent`,
}, async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'varve-conformance-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const { cwlRunner } = await install(join(folder, 'package'));
  const expected = (await readFile(list, 'utf8')).trim().split('\n').length;
  for (const time of ['first', 'second']) {
    const results = await conformance(folder, `${process.execPath} ${cwlRunner} --no-container`);
    const wrong = results.filter(({ status }) => status !== 'passed');
    assert.deepEqual(
      wrong.map(({ id, reason }) => `${time} time, ${id}: ${reason}`),
      [],
    );
    assert.equal(results.length, expected);
  }
});

interface Verdict {
  readonly id: string;
  readonly status: string;
  readonly reason: string;
}

async function conformance(folder: string, runner: string): Promise<readonly Verdict[]> {
  const report = join(folder, 'report.json');
  const tests = join(suite, 'conformance_tests.yaml');
  const args = [judge, '--runner', runner, '--suite', tests, '--only', `@${list}`, '--json', report];
  const env = {
    ...process.env,
    PATH: `${await pythonFolder(folder)}:${process.env.PATH}`,
    VARVE_HOME: join(folder, 'home'),
  };
  // The judge's own exit code only says that some test failed; the report says which.
  const judged = promisify(execFile)('python3', [...args, '--jobs', '2', '--quiet'], {
    env,
    maxBuffer: 1 << 26,
  });
  await judged.catch(() => undefined);
  return (JSON.parse(await readFile(report, 'utf8')) as { results: Verdict[] }).results;
}

/** Some tests call plain `python`. */
async function pythonFolder(folder: string): Promise<string> {
  const bin = join(folder, 'bin');
  await mkdir(bin, { recursive: true });
  const { stdout } = await promisify(execFile)('sh', ['-c', 'command -v python3']);
  await symlink(stdout.trim(), join(bin, 'python')).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  return bin;
}

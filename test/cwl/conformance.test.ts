// The public CWL conformance suite, when it is at hand: `../shared/cwl-v1.2` or VARVE_CWL_SUITE. All of it runs twice on one store in
// a process that stays, so that it takes seconds; a part of it runs as users run it, with the installed `cwl-runner`; what requires a
// container runs in podman, in images made of this machine's programs. Further suites, such as those of v1.0 and v1.1, are named by
// VARVE_CWL_SUITES (their YAML files, with colons between): one test for each.
import assert from 'node:assert/strict';
import { execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import { install } from './installed.ts';
import {
  absentSuite,
  feasibleIds,
  feasibleList,
  judge,
  judged,
  pathWithPython,
  suiteTests,
  type Verdict,
} from './judge.ts';
import { machineRoot, podmanRuns, separateStore } from './machine-image.ts';

const skip = absentSuite === undefined ? false : `no CWL conformance suite: ${absentSuite} is absent`;

test('every conformance test that needs no container passes, and again on the same store', {
  skip,
}, async (t) => {
  await passTwice(t, suiteTests, ['--only', `@${feasibleList}`], feasibleIds().length);
});

const further = (process.env.VARVE_CWL_SUITES ?? '').split(':').filter((path) => path !== '');
for (const path of further)
  test(`every test of ${path} that requires no container passes, and again on the same store`, async (t) => {
    await passTwice(t, path, ['--skip-docker']);
  });

async function passTwice(t: TestContext, tests: string, choice: readonly string[], count?: number) {
  const folder = await scratch(t);
  const env = { VARVE_HOME: join(folder, 'home'), PATH: pathWithPython(folder) };
  const resident = spawn(process.execPath, [join(import.meta.dirname, 'resident-runner.ts')], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  t.after(() => resident.kill());
  const [port] = (await once(resident.stdout, 'data')) as [Buffer];
  const runner = `${join(import.meta.dirname, 'resident-client.sh')} --no-container --quiet`;
  for (const time of ['first', 'second']) {
    const results = await judged(folder, runner, tests, choice, {
      ...env,
      VARVE_RESIDENT: `${port}`.trim(),
    });
    assert.deepEqual(wrongOnes(results), [], `${time} time`);
    assert.ok(results.some(({ status }) => status === 'passed'));
    if (count !== undefined) assert.equal(results.length, count);
  }
}

test('the installed cwl-runner passes every eighth of them', { skip }, async (t) => {
  const folder = await scratch(t);
  const { cwlRunner } = await install(join(folder, 'package'));
  const env = { VARVE_HOME: join(folder, 'home'), PATH: pathWithPython(folder) };
  const some = feasibleIds().filter((_, i) => i % 8 === 0);
  const runner = `${process.execPath} ${cwlRunner} --no-container`;
  const results = await judged(folder, runner, suiteTests, ['--only', some.join(',')], env);
  assert.deepEqual(wrongOnes(results), []);
  assert.equal(results.length, some.length);
});

/** Asks a server in the internet for an answer. */
const needsInternet = 'networkaccess';
const images = ['debian:stable-slim', 'python:3-slim', 'bash:4.4'];
const noPodman = 'no podman that can run containers';

test('the tests that require a container pass in containers', {
  skip: skip || (podmanRuns() ? false : noPodman),
}, async (t) => {
  const folder = await scratch(t);
  const podman = separateStore(folder);
  const run = (...args: string[]) =>
    execFileSync('podman', args, { env: { ...process.env, ...podman }, stdio: 'ignore' });
  const root = machineRoot(folder);
  const entry = ['--change', 'ENTRYPOINT ["entry"]'];
  try {
    for (const name of images)
      run('import', ...(name.startsWith('bash') ? entry : []), root, `docker.io/library/${name}`);
    const { cwlRunner } = await install(join(folder, 'package'));
    const env = { VARVE_HOME: join(folder, 'home'), PATH: pathWithPython(folder), ...podman };
    const chosen = (await idsWithContainer(suiteTests)).filter((id) => id !== needsInternet);
    const runner = `${process.execPath} ${cwlRunner} --container podman --quiet`;
    const results = await judged(folder, runner, suiteTests, ['--only', chosen.join(',')], env);
    assert.deepEqual(wrongOnes(results), []);
    assert.ok(chosen.length > 0);
    assert.equal(results.length, chosen.length);
  } finally {
    // Files in the layers may belong to others than the user: only podman can remove them.
    run('rmi', '--all', '--force');
  }
});

const wrongOnes = (results: readonly Verdict[]): string[] =>
  results
    .filter(({ status }) => status !== 'passed' && status !== 'skipped')
    .map(({ id, reason }) => `${id}: ${reason}`);

/** Those whose documents require a container, in the judge's opinion. */
async function idsWithContainer(tests: string): Promise<string[]> {
  const args = [judge, '--runner', 'none', '--suite', tests, '--list'];
  const { stdout } = await promisify(execFile)('python3', args, { maxBuffer: 1 << 26 });
  const rows = stdout.split('\n').map((line) => line.split('\t'));
  return rows.filter(([, , container]) => container === 'required').map(([, id]) => id!);
}

async function scratch(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'varve-conformance-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

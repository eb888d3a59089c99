// The public CWL conformance suite, when it is at hand: `../shared/cwl-v1.2` or VARVE_CWL_SUITE. The runner is the direct one of
// these tests, or the command in VARVE_CWL_RUNNER.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { build } from 'esbuild';

const root = resolve(import.meta.dirname, '../..');
const suite = process.env.VARVE_CWL_SUITE ?? resolve(root, '../shared/cwl-v1.2');
const judge = process.env.VARVE_CWL_JUDGE ?? resolve(root, '../shared/cwl_conformance.py');
const list = join(suite, 'feasible-without-containers.txt');
const absent = [judge, list].find((path) => !existsSync(path));

test('every conformance test that needs no container passes', {
  skip: absent === undefined ? false : `no CWL conformance suite: ${absent} is absent`,
}, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'varve-conformance-'));
  try {
    const runner = process.env.VARVE_CWL_RUNNER ?? (await bundledRunner(folder));
    const report = join(folder, 'report.json');
    const args = [
      judge,
      '--runner',
      runner,
      '--suite',
      join(suite, 'conformance_tests.yaml'),
      '--jobs',
      '2',
      '--only',
      `@${list}`,
      '--json',
      report,
      '--quiet',
    ];
    const env = { ...process.env, PATH: `${await pythonFolder(folder)}:${process.env.PATH}` };
    await promisify(execFile)('python3', args, { env, maxBuffer: 1 << 26 }).catch(() => undefined);
    const { results } = JSON.parse(await readFile(report, 'utf8')) as {
      results: { id: string; status: string; reason: string }[];
    };
    const wrong = results
      .filter(({ status }) => status !== 'passed')
      .map(({ id, reason }) => `${id}: ${reason}`);
    assert.deepEqual(wrong, []);
    assert.equal(results.length, (await readFile(list, 'utf8')).trim().split('\n').length);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

/** One file starts five times as fast as sixty. */
async function bundledRunner(folder: string): Promise<string> {
  const outfile = join(folder, 'cwl-runner.mjs');
  await build({
    entryPoints: [join(root, 'test/cwl/cwl-runner.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    external: ['quickjs-emscripten-core', '@jitl/*'],
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    },
    logLevel: 'error',
  });
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  return `${process.execPath} ${outfile}`;
}

/** Some tests call plain `python`. */
async function pythonFolder(folder: string): Promise<string> {
  const bin = join(folder, 'bin');
  await mkdir(bin);
  const { stdout } = await promisify(execFile)('sh', ['-c', 'command -v python3']);
  await symlink(stdout.trim(), join(bin, 'python'));
  return bin;
}

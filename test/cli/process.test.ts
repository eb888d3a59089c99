import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { version } from '../../src/version.ts';
import { runVarve, startVarve, temporaryFolder, varveBin } from './varve.ts';

test('the version comes alone on a line, however it is asked for', async (t) => {
  const home = temporaryFolder(t);
  for (const args of [['--version'], ['-V'], ['doctor', '--version']]) {
    assert.deepEqual(await runVarve(home, args), { exitCode: 0, stdout: `${version}\n`, stderr: '' });
  }
});

test('an error goes to stderr with its code, and the exit code is that of its kind', async (t) => {
  const home = temporaryFolder(t);
  const wrong = await runVarve(home, ['confg']);
  assert.deepEqual([wrong.exitCode, wrong.stdout], [2, '']);
  assert.equal(
    wrong.stderr,
    'varve: unknown command confg [CLI_UNKNOWN_COMMAND]\n  hint: did you mean config?\n',
  );
  assert.equal((await runVarve(home, ['errors', 'NOPE'])).exitCode, 4);
  assert.equal((await runVarve(home, ['doctor', '--server', 'http://x'])).exitCode, 33);
});

test('with --json both results and errors are JSON', async (t) => {
  const home = temporaryFolder(t);
  const shown = await runVarve(home, ['config', 'path', '--json']);
  assert.deepEqual(JSON.parse(shown.stdout), { path: join(home, 'varve.yaml') });
  const wrong = await runVarve(home, ['errors', 'BGU', '--json']);
  assert.deepEqual(JSON.parse(wrong.stderr), {
    error: {
      code: 'ERROR_CODE_UNKNOWN',
      kind: 'missing',
      message: 'there is no error code BGU',
      hint: 'did you mean BUG?',
    },
  });
});

test('a wrong configuration file is reported with its place', async (t) => {
  const home = temporaryFolder(t);
  writeFileSync(join(home, 'varve.yaml'), 'log:\n  level: inof\n');
  const { exitCode, stderr } = await runVarve(home, ['config', 'show']);
  assert.equal(exitCode, 2);
  assert.match(
    stderr,
    /^\/.*varve\.yaml:2:10: log\.level: expected one of .*\n {2}hint: did you mean info\?\n$/,
  );
});

test('the settings in force are shown without passwords', async (t) => {
  const home = temporaryFolder(t);
  const env = { VARVE_STORE_URL: 'postgres://ann:secret@db/varve' };
  const { stdout } = await runVarve(home, ['config', 'show', '--changed', '--json'], { env });
  assert.deepEqual(JSON.parse(stdout), [
    { key: 'home', value: home, origin: 'environment', detail: 'VARVE_HOME' },
    {
      key: 'store.url',
      value: 'postgres://ann:***@db/varve',
      origin: 'environment',
      detail: 'VARVE_STORE_URL',
    },
  ]);
});

/** Makes the process throw as soon as it listens for unexpected errors. */
function crashing(t: TestContext) {
  const preload = join(temporaryFolder(t), 'boom.mjs');
  writeFileSync(
    preload,
    `process.on('newListener', (name) => name === 'unhandledRejection' && queueMicrotask(() => {
      throw new TypeError('boom at postgres://ann:' + ['sec', 'ret'].join('') + '@db/varve');
    }));`,
  );
  return { nodeArguments: ['--import', preload] };
}

test('a bug shows one line and leaves its details in a file, without passwords', async (t) => {
  const home = temporaryFolder(t);
  const { exitCode, stderr } = await runVarve(home, ['config', 'keys', '--home', home], crashing(t));
  assert.equal(exitCode, 70);
  assert.match(stderr, /^varve: internal error: boom at .*; details in .*crash-reports.* \[BUG\]\n$/);
  const [file = ''] = readdirSync(join(home, 'crash-reports'));
  const report = readFileSync(join(home, 'crash-reports', file), 'utf8');
  assert.match(report, /^varve \d/);
  assert.match(report, /TypeError: boom at postgres:\/\/ann:\*\*\*@db/);
  assert.doesNotMatch(report + stderr, /secret/);
});

test('with VARVE_DEBUG the details of a bug come on stderr', async (t) => {
  const home = temporaryFolder(t);
  const run = await runVarve(home, ['config', 'keys'], { ...crashing(t), env: { VARVE_DEBUG: '1' } });
  assert.equal(run.exitCode, 70);
  assert.match(run.stderr, /TypeError: boom[\s\S]*details in the lines above \[BUG\]\n$/);
  assert.ok(!existsSync(join(home, 'crash-reports')));
});

test('a reader that goes away early is no error', async (t) => {
  const home = temporaryFolder(t);
  const shell = spawn(
    'bash',
    ['-c', `set -o pipefail; "$0" "$1" errors | true`, process.execPath, varveBin],
    {
      env: { PATH: process.env.PATH, VARVE_HOME: home },
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  );
  let stderr = '';
  shell.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  const [exitCode] = await once(shell, 'close');
  assert.deepEqual([exitCode, stderr], [0, '']);
});

test('the second interrupt ends a command that does not listen', async (t) => {
  const silent = createServer().listen(0, '127.0.0.1');
  t.after(() => silent.close());
  await once(silent, 'listening');
  const { port } = silent.address() as { port: number };
  const connected = once(silent, 'connection');
  const env = { VARVE_STORE_URL: `postgres://ann@127.0.0.1:${port}/x` };
  const child = startVarve(temporaryFolder(t), ['doctor'], { env });
  const ended = once(child, 'exit');
  const [socket] = await connected;
  child.kill('SIGINT');
  child.kill('SIGINT');
  const timer = setInterval(() => child.kill('SIGINT'), 50);
  assert.deepEqual(await ended, [130, null]);
  clearInterval(timer);
  socket.destroy();
});

test('the first interrupt asks the command to stop', async () => {
  const module = new URL('../../src/cli/interruption.ts', import.meta.url).href;
  const code = `import { watchInterruption } from ${JSON.stringify(module)};
    const interruption = watchInterruption(process);
    interruption.signal.addEventListener('abort', () => {
      console.log(interruption.signal.reason.code, interruption.exitCode());
      process.exit(0);
    });
    console.log('ready');
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let stdout = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
    if (text.includes('ready')) child.kill('SIGTERM');
  });
  await once(child, 'close');
  assert.equal(stdout, 'ready\nCLI_INTERRUPTED 143\n');
});

test('doctor ends with an error when the store cannot be reached, and says what is merely missing', async (t) => {
  const home = temporaryFolder(t);
  const env = { VARVE_STORE_URL: 'postgres://ann:secret@127.0.0.1:1/x', PATH: home };
  const { exitCode, stdout } = await runVarve(home, ['doctor', '--json'], { env });
  assert.equal(exitCode, 7);
  const levels = Object.fromEntries(
    (JSON.parse(stdout) as { subject: string; level: string }[]).map(({ subject, level }) => [
      subject,
      level,
    ]),
  );
  assert.equal(levels.node, 'ok');
  assert.equal(levels['home folder'], 'ok');
  assert.equal(levels.store, 'error');
  assert.equal(levels.compiler, 'missing');
  assert.doesNotMatch(stdout, /secret/);
});

test('doctor warns of a decision algorithm that is not there', async (t) => {
  const home = temporaryFolder(t);
  const doctor = async (algorithm: string) => {
    const run = await runVarve(home, ['--json', 'doctor', '--set', `decisions.algorithm=${algorithm}`]);
    const findings: { subject: string; level: string; detail: string }[] = JSON.parse(run.stdout);
    return findings.find(({ subject }) => subject === 'decisions');
  };
  assert.equal((await doctor('lru'))?.level, 'ok');
  const missing = await doctor('lruu');
  assert.equal(missing?.level, 'warning');
  assert.match(missing.detail, /there is no decision algorithm "lruu"/);
});

test('a folder that the user may not read is a clear refusal', async (t) => {
  const home = temporaryFolder(t);
  const file = join(home, 'varve.yaml');
  mkdirSync(file);
  chmodSync(file, 0o755);
  const { exitCode, stderr } = await runVarve(home, ['config', 'show']);
  assert.equal(exitCode, 7);
  assert.match(stderr, /^varve: cannot read .*varve\.yaml: .*\[CONFIG_FILE_UNREADABLE\]\n$/);
});

test('help goes to stdout, in colour only when asked', async (t) => {
  const home = temporaryFolder(t);
  const plain = await runVarve(home, ['config', '--help']);
  assert.match(plain.stdout, /^Usage: varve config <command>/);
  const colored = await runVarve(home, ['config', '--help', '--color', 'always'], { env: { NO_COLOR: '1' } });
  assert.ok(colored.stdout.includes('\u001b[1mUsage:'));
});

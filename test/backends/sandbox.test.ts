// Actions in a sandbox of bubblewrap, on a real engine with both launchers.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { loadConfig } from '../../src/config/load-config.ts';
import { runResults } from '../../src/index.ts';
import { openVarve, type Varve } from '../../src/varve.ts';
import { Home } from '../cli/home.ts';

const works = ((): boolean => {
  try {
    execFileSync('bwrap', [
      '--ro-bind',
      '/',
      '/',
      '--unshare-pid',
      '--unshare-net',
      '--proc',
      '/proc',
      'true',
    ]);
    return true;
  } catch {
    return false;
  }
})();
const skip = works ? false : 'bubblewrap does not work here';

async function openSandboxed(t: TestContext, ...set: string[]): Promise<Varve> {
  const home = mkdtempSync(join(tmpdir(), 'varve-sandbox-'));
  const variables = { PATH: process.env.PATH };
  const environment = { variables, workingFolder: home, userFolder: home, platform: process.platform };
  const { config } = await loadConfig(environment, { home, set });
  const varve = await openVarve({ config });
  t.after(async () => {
    await varve.close();
    rmSync(home, { recursive: true, force: true });
  });
  await varve.work();
  return varve;
}

async function outputOf(varve: Varve, actions: readonly object[]): Promise<string> {
  const path = join(varve.config.home, 'flow.json');
  const workflow = await varve.load({ path, text: JSON.stringify({ name: 'flow', actions }) });
  const { runId } = await varve.submit(workflow);
  const run = await varve.wait(runId);
  assert.equal(run.state, 'SUCCEEDED', String(run.error));
  const [folder] = [...(await runResults(varve, runId)).values()].flat();
  return readFileSync(join(folder as string, 'out'), 'utf8');
}

for (const launcher of ['c', 'sh'])
  test(`launcher ${launcher}: a confined action writes only its own folder and sees no network`, {
    skip,
  }, async (t) => {
    const varve = await openSandboxed(t, `execution.launcher=${launcher}`, 'execution.sandbox=required');
    const { home } = varve.config;
    const input = join(home, 'input.txt');
    writeFileSync(input, 'read me');
    const other = join(tmpdir(), `varve-outside-${process.pid}`);
    writeFileSync(other, 'not yours');
    t.after(() => rmSync(other, { force: true }));
    const command = `
      cat "$VARVE_INPUT_GIVEN"; echo
      (echo x >> "$VARVE_INPUT_GIVEN") 2>/dev/null || echo input is read-only
      (echo x > /usr/varve-was-here) 2>/dev/null || echo system is read-only
      test -e '${join(home, 'varve.db')}' || echo store is hidden
      test -e '${other}' || echo tmp is private
      echo x > /tmp/mine && echo tmp is writable
      test "$(grep -c : /proc/net/dev)" = 1 && echo no network
      echo x > here && echo folder is writable`;
    const actions = [
      { id: 'first', command: 'echo from the first', stdout: 'f' },
      {
        id: 'a',
        command: `${command}; cat "$VARVE_INPUT_FIRST/f"`,
        stdout: 'out',
        inputs: { given: { file: 'input.txt' } },
        parentActions: ['first'],
      },
    ];
    assert.deepEqual((await outputOf(varve, actions)).trim().split('\n'), [
      'read me',
      'input is read-only',
      'system is read-only',
      'store is hidden',
      'tmp is private',
      'tmp is writable',
      'no network',
      'folder is writable',
      'from the first',
    ]);
    const networked = { id: 'n', command: 'grep -c : /proc/net/dev', stdout: 'out', network: true };
    const devices = execFileSync('grep', ['-c', ':', '/proc/net/dev'], { encoding: 'utf8' });
    assert.equal(await outputOf(varve, [networked]), devices);
  });

test('a confined action fails, is stopped and times out like any other', { skip }, async (t) => {
  const varve = await openSandboxed(t, 'execution.launcher=sh', 'execution.sandbox=on');
  const state = async (action: object): Promise<string> => {
    const text = JSON.stringify({ name: 'f', actions: [{ id: 'a', retries: 0, ...action }] });
    const { runId } = await varve.submit(await varve.load({ path: join(varve.config.home, 'f.json'), text }));
    const run = await varve.wait(runId);
    const [action0] = await varve.store.view.actionsOfRun(runId, { after: 0, limit: 1 });
    return `${run.state} ${action0?.error}`;
  };
  assert.match(await state({ command: 'exit 7' }), /FAILED.*7/);
  assert.match(await state({ command: 'sleep 600', timeout: '1s' }), /FAILED.*time/i);
});

test('where it is required and absent, actions are refused with a clear message', async (t) => {
  const home = new Home(t, { PATH: '/nowhere' });
  const flow = home.write('flow.json', { name: 'f', actions: [{ id: 'a', command: 'echo x' }] });
  const words = ['--set', 'execution.sandbox=required', '--set', 'execution.launcher=sh'];
  const refused = home.run('run', flow, ...words);
  assert.notEqual(refused.status, 0);
  assert.match(
    refused.stdout + refused.stderr,
    /bwrap is not installed; install bubblewrap.*LOCAL_SANDBOX_MISSING/,
  );
  const doctor = home.run('doctor', ...words);
  assert.match(doctor.stdout, /sandbox\s+error\s+bwrap is not installed/);
});

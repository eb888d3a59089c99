// The storage budget as users see it: real commands on a real home.
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { runVarve, temporaryFolder } from './varve.ts';

const document = `
name: demo
params: { seed: "1" }
actions:
  - { id: gen, command: 'head -c 300000 /dev/zero > $VARVE_OUTPUT/x; echo $SEED >> $VARVE_OUTPUT/x', env: { SEED: "\${params.seed}" } }
  - { id: end, command: 'cksum < $VARVE_INPUT_gen/x > $VARVE_OUTPUT/n', parentActions: [gen] }
`;

test('a budget keeps itself, and every deletion is explained', async (t) => {
  const home = temporaryFolder(t);
  await writeFile(join(home, 'flow.yaml'), document);
  const ask = async (...args: string[]) => {
    const run = await runVarve(home, ['--json', '--set', 'storage.budget=700kB', ...args]);
    assert.equal(run.exitCode, 0, run.stderr);
    return JSON.parse(run.stdout);
  };
  for (const seed of ['1', '2', '3']) await ask('run', 'flow.yaml', '--input', `seed=${seed}`);
  const { usedBytes } = await ask('datasets', 'du');
  assert.ok(usedBytes <= 630_000, `${usedBytes} bytes`);

  const [gone] = await ask('datasets', 'ls', '--state', 'DELETED');
  const why = await ask('datasets', 'why-deleted', gone.signature);
  assert.match(why.reason, /^given up by hamr: /);
  assert.equal(why.priceTag.bytes, 300_002);

  const plan = await ask('decide', '--dry-run', '--free', '100kB');
  assert.equal(plan.dryRun, true);
  assert.equal(plan.givenUp.length, 1);
  assert.equal((await ask('datasets', 'du')).usedBytes, usedBytes, 'a dry run changes nothing');
  const done = await ask('decide', '--free', '100kB');
  assert.equal(done.givenUp[0].signature, plan.givenUp[0].signature);
  assert.equal((await ask('datasets', 'du')).usedBytes, usedBytes - 300_002);

  assert.equal((await ask('history', 'runs')).runs.length, 3);
  assert.equal((await ask('savings')).total.runs, 3);
  assert.equal((await ask('rules', 'add', 'keep', '--name', 'gen')).id, 1);
  assert.equal((await ask('decide', '--dry-run', '--free', '100kB')).givenUp.length, 0);
  const senseless = await runVarve(home, ['rules', 'add', 'keep']);
  assert.match(senseless.stderr, /RULE_SENSELESS/);
});

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import fc from 'fast-check';
import { parseConfigFile } from '../../src/config/config-file.ts';
import { configKeyNames, environmentName, keySpec } from '../../src/config/config-keys.ts';
import type { Environment } from '../../src/config/environment.ts';
import { homeFolder } from '../../src/config/home-folder.ts';
import { loadConfig } from '../../src/config/load-config.ts';
import { quantityBytes, withoutPassword } from '../../src/config/value-types.ts';
import { formatError, VarveError } from '../../src/core/errors.ts';

function environment(variables: Record<string, string> = {}, folder = '/work-here'): Environment {
  return { variables, platform: 'linux', userFolder: '/home/ann', workingFolder: folder };
}

function folder(t: TestContext): string {
  const path = mkdtempSync(join(tmpdir(), 'varve-config-'));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

async function failure(promise: Promise<unknown>): Promise<VarveError> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof VarveError, `expected a VarveError, got ${error}`);
  return error;
}

test('without a file every key has its default, with paths below the home folder', async (t) => {
  const home = folder(t);
  const { config, file } = await loadConfig(environment(), { home });
  assert.deepEqual(file, { path: join(home, 'varve.yaml'), found: false });
  assert.equal(config.home, home);
  assert.equal(config.store.url, `sqlite:${home}/varve.db`);
  assert.equal(config.storage.root, join(home, 'datasets'));
  assert.equal(config.storage.budget, undefined);
  assert.equal(config.storage.highWatermark, 0.9);
  assert.equal(config.decisions.timeLimit, 10_000);
});

test('flags win over variables, variables over the file, the file over defaults', async (t) => {
  const home = folder(t);
  writeFileSync(
    join(home, 'varve.yaml'),
    'execution:\n  cores: 2\n  leaseSeconds: 20\nstorage:\n  budget: 1.5TB\n',
  );
  const variables = { VARVE_HOME: home, VARVE_EXECUTION_CORES: '3', VARVE_EXECUTION_LEASE_SECONDS: '' };
  const fromVariables = await loadConfig(environment(variables));
  assert.equal(fromVariables.config.execution.cores, 3);
  assert.equal(fromVariables.config.execution.leaseSeconds, 20);
  assert.deepEqual(fromVariables.config.storage.budget, { bytes: 1.5e12 });
  assert.deepEqual(fromVariables.sources.get('storage.budget'), {
    origin: 'file',
    detail: `${join(home, 'varve.yaml')}:5`,
  });
  const fromFlags = await loadConfig(environment(variables), { set: ['execution.cores=4'] });
  assert.equal(fromFlags.config.execution.cores, 4);
  assert.equal(fromFlags.sources.get('execution.cores')?.origin, 'flag');
});

test('all problems are reported at once, each with its place and a hint', async (t) => {
  const home = folder(t);
  const file = join(home, 'varve.yaml');
  writeFileSync(
    file,
    [
      'home: /elsewhere',
      'store:',
      '  ulr: sqlite:x.db',
      '  durability: ful',
      'storag:',
      '  budget: 20GB',
      'storage: 20GB',
      'execution:',
      '  cores: 0',
      '  memory: [1GB]',
    ].join('\n'),
  );
  const error = await failure(
    loadConfig(environment({ VARVE_LOG_LEVEL: 'loud' }), { home, set: ['store.url', 'store.urn=x'] }),
  );
  assert.equal(error.code, 'CONFIG_INVALID');
  assert.deepEqual(formatError(error).replaceAll(file, 'varve.yaml').split('\n'), [
    'the configuration has 10 problems [CONFIG_INVALID]',
    'varve.yaml:1:1: home cannot be set in the file; use --home or VARVE_HOME [CONFIG_MISPLACED_KEY]',
    'varve.yaml:3:3: unknown configuration key store.ulr [CONFIG_UNKNOWN_KEY]',
    '  hint: did you mean store.url?',
    'varve.yaml:5:1: unknown configuration key storag [CONFIG_UNKNOWN_KEY]',
    '  hint: did you mean storage?',
    'varve.yaml:7:1: storage is a section: write its keys below it, indented [CONFIG_SYNTAX]',
    '--set store.url: expected KEY=VALUE, for instance --set execution.cores=4 [CONFIG_SET_SYNTAX]',
    'unknown configuration key store.urn [CONFIG_UNKNOWN_KEY]',
    '  hint: did you mean store.url?',
    'varve.yaml:4:15: store.durability: expected one of full, normal, found "ful" [CONFIG_VALUE]',
    '  hint: did you mean full?',
    'varve.yaml:9:10: execution.cores: expected a whole number, at least 1, found "0" [CONFIG_VALUE]',
    'varve.yaml:10:11: execution.memory: expected a size such as 20GB or 512MiB, or a share such as 80%, found [1GB] [CONFIG_VALUE]',
    'VARVE_LOG_LEVEL (log.level): expected one of error, warn, info, debug, found "loud" [CONFIG_VALUE]',
  ]);
});

test('a file that is not YAML, not a mapping, or uses aliases is refused with the place', async () => {
  const broken: readonly [string, RegExp][] = [
    ['store: {url: ', /^varve.yaml:1:\d+: .*\[CONFIG_SYNTAX\]$/m],
    ['- a\n- b\n', /^varve.yaml:1:1: the file must hold sections/m],
    ['log:\n  level: info\n  level: warn\n', /^varve.yaml:3:3: .*\[CONFIG_SYNTAX\]$/m],
    ['log: &l\n  level: info\nstore: *l\n', /aliases are not allowed/],
  ];
  for (const [text, expected] of broken) {
    const { problems } = await parseConfigFile('varve.yaml', text);
    assert.match(problems.map(formatError).join('\n'), expected, text);
  }
});

test('an empty file and empty sections change nothing', async () => {
  for (const text of ['', '# only a comment\n', 'store:\n', 'storage:\n  budget:\n']) {
    assert.deepEqual(await parseConfigFile('varve.yaml', text), { settings: [], problems: [] });
  }
});

test('whatever the file contains, reading it ends with settings or problems', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: fc.constantFrom(...'ab:- \n{}[]&*!?"\'#%|>,0') }), async (text) => {
      const { problems } = await parseConfigFile('varve.yaml', text);
      for (const problem of problems) assert.match(formatError(problem), /^varve.yaml:\d+:\d+: /);
    }),
  );
});

test('relative paths start at the file that holds them, or at the working folder for variables', async (t) => {
  const home = folder(t);
  writeFileSync(join(home, 'other.yaml'), 'storage:\n  root: data\nstore:\n  url: sqlite:~/v.db\n');
  const loaded = await loadConfig(environment({ VARVE_CONFIG: join(home, 'other.yaml') }), { home });
  assert.equal(loaded.config.storage.root, join(home, 'data'));
  assert.equal(loaded.config.store.url, 'sqlite:/home/ann/v.db');
  const fromVariable = await loadConfig(environment({ VARVE_STORAGE_ROOT: 'data' }), { home });
  assert.equal(fromVariable.config.storage.root, '/work-here/data');
});

test('a file that was asked for must exist', async (t) => {
  const error = await failure(loadConfig(environment(), { home: folder(t), config: '/no/such.yaml' }));
  assert.equal(formatError(error), 'there is no configuration file /no/such.yaml [CONFIG_FILE_MISSING]');
});

test('the low watermark must not be above the high one', async (t) => {
  const set = ['storage.lowWatermark=95%'];
  const error = await failure(loadConfig(environment(), { home: folder(t), set }));
  assert.equal(error.message, 'storage.lowWatermark (95%) is above storage.highWatermark (90%)');
});

test('a misspelled variable is pointed out, variables of actions and tests are not', async (t) => {
  const variables = { VARVE_STROE_URL: 'x', VARVE_INPUT_A: 'x', VARVE_TEST_POSTGRES: 'x', VARVE_DEBUG: '1' };
  const { warnings } = await loadConfig(environment(variables), { home: folder(t) });
  assert.deepEqual(warnings, [
    'the variable VARVE_STROE_URL is not known and was ignored; did you mean VARVE_STORE_URL?',
  ]);
});

test('the home folder is the flag, then VARVE_HOME, then the data folder of the platform', () => {
  const linux = environment({ VARVE_HOME: '~/mine' });
  assert.equal(homeFolder(linux, 'here'), '/work-here/here');
  assert.equal(homeFolder(linux), '/home/ann/mine');
  assert.equal(homeFolder(environment()), '/home/ann/.local/share/varve');
  assert.equal(homeFolder(environment({ XDG_DATA_HOME: '/data' })), '/data/varve');
  assert.equal(
    homeFolder({ ...environment(), platform: 'darwin' }),
    '/home/ann/Library/Application Support/varve',
  );
  assert.equal(homeFolder({ ...environment({ LOCALAPPDATA: '/local' }), platform: 'win32' }), '/local/varve');
});

test('every key has a default or says what its absence means, and its own variable', () => {
  const names = new Set(configKeyNames.map(environmentName));
  assert.equal(names.size, configKeyNames.length);
  assert.equal(environmentName('store.poolSize'), 'VARVE_STORE_POOL_SIZE');
  for (const key of configKeyNames) {
    const spec = keySpec(key);
    assert.ok((spec.default === undefined) !== (spec.otherwise === undefined), key);
    assert.match(spec.description, /\.$/, key);
  }
});

test('a share becomes bytes of the whole, and passwords are not shown', () => {
  assert.equal(quantityBytes({ fraction: 0.25 }, 1000), 250);
  assert.equal(quantityBytes({ bytes: 7 }, 1000), 7);
  assert.equal(withoutPassword('postgres://u:secret@h/d'), 'postgres://u:***@h/d');
});

// docs/reference/configuration.md: every key, from the key table.
import { type ConfigKey, configKeyNames, environmentName, keySpec } from '../../src/config/config-keys.ts';
import { valueTypes } from '../../src/config/value-types.ts';
import { generatedFrom, type ReferencePage } from './reference-page.ts';

export const configurationPage: ReferencePage = {
  path: 'docs/reference/configuration.md',
  render: () =>
    [
      '# Configuration',
      generatedFrom('src/config/config-keys.ts'),
      'Settings come from four places. The first that has one wins:',
      [
        '1. flags: `--set KEY=VALUE`, `--home`, and options of commands that say so;',
        '2. environment variables, named after the key: `store.poolSize` is `VARVE_STORE_POOL_SIZE`;',
        '3. the file `varve.yaml` in the home folder, or the one that `--config` or `VARVE_CONFIG` names;',
        '4. the default.',
      ].join('\n'),
      'The home folder is `--home`, else `VARVE_HOME`, else the data folder of the platform: `$XDG_DATA_HOME/varve` or `~/.local/share/varve` on Linux, `~/Library/Application Support/varve` on macOS, `%LOCALAPPDATA%\\varve` on Windows. `varve config show` prints what is in force and where it came from.',
      ['```yaml', ...example(), '```'].join('\n'),
      'Relative paths in the file start at the folder of the file, others at the working folder; `~` is your own folder. Sizes are decimal (`20GB`) or binary (`20GiB`). With `VARVE_DEBUG=1` the details of internal errors are printed instead of written to a file.',
      ...sections(),
    ].join('\n\n'),
};

function sections(): string[] {
  let section = '';
  return configKeyNames.flatMap((key) => {
    const name = key.includes('.') ? key.split('.')[0]! : '';
    const heading = name !== '' && name !== section ? [`## ${name}`] : [];
    section = name;
    return [...heading, keySection(key)];
  });
}

function keySection(key: ConfigKey): string {
  const spec = keySpec(key);
  const facts = [
    `- value: ${valueTypes[spec.type].expected(spec)}`,
    `- default: ${spec.default === undefined ? spec.otherwise : `\`${spec.default}\``}`,
    `- variable: \`${environmentName(key)}\``,
    ...(spec.outsideFile ? ['- cannot be set in the file'] : []),
  ];
  return [`### ${key}`, spec.description, facts.join('\n')].join('\n\n');
}

/** A file that shows the form; a test loads it. */
export function example(): string[] {
  return [
    'store:',
    '  url: postgres://varve@db.example.org/varve',
    'storage:',
    '  root: /data/varve',
    '  budget: 2TB',
    'execution:',
    '  cores: 16',
    '  memory: 75%',
  ];
}

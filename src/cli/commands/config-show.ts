// `varve config show`: every setting in force and where it came from.
import { type Config, type ConfigKey, configKeyNames, keySpec } from '../../config/config-keys.ts';
import { valueTypes } from '../../config/value-types.ts';
import type { CommandRun } from '../command-table.ts';
import { renderTable } from '../terminal/table.ts';

export const run: CommandRun<'config show'> = async ({ options }, { config: load, output }) => {
  const { config, sources } = await load();
  const rows = configKeyNames
    .map((key) => ({ key, value: shownValue(config, key), ...sources.get(key)! }))
    .filter((row) => !options.changed || row.origin !== 'default');
  output.result(
    rows.map(({ key, value, origin, detail }) => ({ key, value: value ?? null, origin, detail })),
    () => {
      const cells = rows.map((row) => [
        row.key,
        row.value ?? row.detail,
        row.origin === 'default' ? 'default' : row.detail,
      ]);
      const columns = [{ title: 'KEY', paint: output.style.cyan }, { title: 'VALUE' }, { title: 'FROM' }];
      return renderTable(columns, cells, output.style, output.columns()).join('\n');
    },
  );
  return undefined;
};

/** The value as text, with passwords hidden. */
function shownValue(config: Config, key: ConfigKey): string | undefined {
  const [section, name] = key.split('.') as [string, string?];
  const found = (config as unknown as Record<string, unknown>)[section];
  const value = name === undefined ? found : (found as Record<string, unknown>)[name];
  if (value === undefined) return undefined;
  return (valueTypes[keySpec(key).type].show as (value: unknown) => string)(value);
}

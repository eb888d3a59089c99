// `varve config keys`: everything that can be set.
import { configKeyNames, environmentName, keySpec } from '../../config/config-keys.ts';
import { valueTypes } from '../../config/value-types.ts';
import type { CommandRun } from '../command-table.ts';
import { wrapText } from '../terminal/wrap-text.ts';

export const run: CommandRun<'config keys'> = async ({ arguments: { prefix = '' } }, { output }) => {
  const keys = configKeyNames
    .filter((key) => key.startsWith(prefix))
    .map((key) => {
      const spec = keySpec(key);
      return {
        key,
        variable: environmentName(key),
        expected: valueTypes[spec.type].expected(spec),
        default: spec.default ?? null,
        otherwise: spec.otherwise ?? null,
        description: spec.description,
      };
    });
  const { style } = output;
  output.result(keys, () =>
    keys
      .map((row) =>
        [
          `${style.bold(row.key)}  ${style.dim(row.variable)}`,
          ...wrapText(row.description, Math.min(output.columns(), 100) - 2).map((line) => `  ${line}`),
          style.dim(`  ${row.expected}; default: ${row.default ?? row.otherwise}`),
        ].join('\n'),
      )
      .join('\n'),
  );
  return undefined;
};

// `varve store check`: damage and broken rules.
import { errorKinds } from '../../core/errors.ts';
import { checkStore } from '../../store/check-store.ts';
import { openDatabase } from '../../store/open-database.ts';
import type { CommandRun } from '../command-table.ts';

export const run: CommandRun<'store check'> = async (_, { config, output }) => {
  const database = await openDatabase((await config()).config.store.url, { readOnly: true });
  try {
    const findings = await checkStore(database);
    output.result(
      findings.map((finding) => ({ ...finding })),
      () =>
        findings.length === 0
          ? 'the store is sound'
          : findings
              .map((one) => `${one.severity}: ${one.check} (${one.count}, for instance ${one.example})`)
              .join('\n'),
    );
    return findings.some(({ severity }) => severity === 'damage') ? errorKinds.corrupt.exitCode : 0;
  } finally {
    await database.close();
  }
};

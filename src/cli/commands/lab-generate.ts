// `varve lab generate`: writes a history file.
import { writeFile } from 'node:fs/promises';
import { writeHistory } from '../../lab/history-file.ts';
import { generateHistory } from '../../lab/history-source.ts';
import type { CommandRun } from '../command-table.ts';
import { parametersOf } from '../lab-request.ts';

export const run: CommandRun<'lab generate'> = async ({ arguments: given, options }, { output }) => {
  const { family } = given;
  const parameters = parametersOf(options.parameter, options.instance);
  const history = generateHistory({ family, seed: options.seed, parameters });
  const lines = [...writeHistory(history)];
  if (options.out === undefined) {
    output.print(lines.join('\n'));
    return 0;
  }
  await writeFile(options.out, `${lines.join('\n')}\n`);
  const runs = history.runs.length;
  const datasets = history.labels.length;
  output.result(
    { path: options.out, runs, datasets },
    () => `wrote ${runs} runs over ${datasets} datasets to ${options.out}`,
  );
  return 0;
};

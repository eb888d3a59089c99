// Opens the home that a command works on, and closes it whatever happens.
import { openVarve, type Varve } from '../varve.ts';
import type { CommandContext } from './command.ts';
import { cliErrors } from './error-codes.ts';
import { visibleText } from './terminal/wrap-text.ts';

export async function withVarve<T>(
  { config, output }: Pick<CommandContext, 'config' | 'output'>,
  body: (varve: Varve) => Promise<T>,
): Promise<T> {
  const loaded = await config();
  const seen = new Set<string>();
  const varve = await openVarve({
    config: loaded.config,
    onProblem(error, doing) {
      const text = visibleText(`${doing}: ${error instanceof Error ? error.message : String(error)}`);
      if (!seen.has(text)) output.warn(text);
      seen.add(text);
    },
  });
  try {
    return await body(varve);
  } finally {
    await varve.close();
  }
}

/** The number of a run as a user types it. */
export function runNumber(text: string): number {
  if (!/^[0-9]{1,15}$/.test(text)) throw cliErrors.CLI_RUN_NUMBER(text);
  return Number(text);
}

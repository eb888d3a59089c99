// What a command works on: the home of this machine, or a server elsewhere. Both offer the same operations, so that each command is
// written once; what only the near one can do is asked for explicitly.
import type { Api } from '../api/api.ts';
import type { VarveClient } from '../api/client/client.ts';
import { variable } from '../config/environment.ts';
import { openVarve, type Varve } from '../varve.ts';
import type { CommandContext } from './command.ts';
import { cliErrors } from './error-codes.ts';
import { visibleText } from './terminal/wrap-text.ts';

export interface Session {
  readonly api: Api;
  /** The engine in this process; undefined when a server does the work. */
  readonly varve: Varve | undefined;
  readonly client: VarveClient | undefined;
}

/** Opens the home of this machine, and closes it whatever happens. */
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

/** The server that --server or VARVE_SERVER names. */
export function serverAddress({ globals, environment }: CommandContext): string | undefined {
  return globals.server ?? variable(environment, 'VARVE_SERVER');
}

/** Opens the server that was named, or the home of this machine. */
export async function withSession<T>(
  context: CommandContext,
  body: (session: Session) => Promise<T>,
): Promise<T> {
  const url = serverAddress(context);
  if (url !== undefined) {
    const { VarveClient } = await import('../api/client/client.ts');
    const client = new VarveClient({ url, token: variable(context.environment, 'VARVE_TOKEN') });
    return body({ api: client, client, varve: undefined });
  }
  const { localApi } = await import('../server/local-api.ts');
  return withVarve(context, (varve) => body({ api: localApi(varve), varve, client: undefined }));
}

/** The operations alone, for commands that need nothing else. */
export function withApi<T>(context: CommandContext, body: (api: Api) => Promise<T>): Promise<T> {
  return withSession(context, ({ api }) => body(api));
}

/** The number of a run as a user types it. */
export function runNumber(text: string): number {
  if (!/^[0-9]{1,15}$/.test(text)) throw cliErrors.CLI_RUN_NUMBER(text);
  return Number(text);
}

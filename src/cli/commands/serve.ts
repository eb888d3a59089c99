// `varve serve`: a server until it is told to stop.
import { type ConfigValue, configKeys } from '../../config/config-keys.ts';
import { type ReadContext, valueTypes } from '../../config/value-types.ts';
import { serve } from '../../server/serve.ts';
import type { CommandRun } from '../command-table.ts';
import { cliErrors } from '../error-codes.ts';
import { withVarve } from '../session.ts';

export const run: CommandRun<'serve'> = ({ options }, context) =>
  withVarve(context, async (varve) => {
    const { server } = varve.config;
    const told = Promise.withResolvers<void>();
    const running = await serve({
      onToldToLeave: () => told.resolve(),
      varve,
      listen: chosen('server.listen', options.listen) ?? server.listen,
      roles: chosen('server.roles', options.roles) ?? server.roles,
      onProblem: (error, doing) =>
        context.output.warn(`${doing}: ${error instanceof Error ? error.message : String(error)}`),
    });
    const where = running.url === undefined ? 'working' : `listening at ${running.url}`;
    context.output.note(`${where}; stop with Control-C`);
    try {
      if (context.signal.aborted) told.resolve();
      context.signal.addEventListener('abort', () => told.resolve(), { once: true });
      await told.promise;
      return 0;
    } finally {
      await running.close();
    }
  });

/** An option that stands for a configuration key has the same form. */
function chosen<K extends 'server.listen' | 'server.roles'>(key: K, text: string | undefined) {
  if (text === undefined) return undefined;
  const spec = configKeys[key];
  const type = valueTypes[spec.type];
  const context: ReadContext = {
    baseFolder: '/',
    expandUser: (path) => path,
    choices: 'choices' in spec ? spec.choices : undefined,
  };
  const value = type.read(text, context);
  if (value === undefined)
    throw cliErrors.CLI_OPTION_VALUE(
      `--${key.slice('server.'.length)}`,
      type.expected(context),
      JSON.stringify(text),
    );
  return value as ConfigValue<K>;
}

// `varve worker`: runs actions for a server, over HTTP alone.
import { availableParallelism, hostname, totalmem } from 'node:os';
import { join } from 'node:path';
import { VarveClient } from '../../api/client/client.ts';
import { variable } from '../../config/environment.ts';
import { tagPattern } from '../../core/tags.ts';
import { runRemoteWorker } from '../../worker/remote-worker.ts';
import type { CommandRun } from '../command-table.ts';
import { cliErrors } from '../error-codes.ts';
import { serverAddress } from '../session.ts';

export const run: CommandRun<'worker'> = async ({ options }, context) => {
  const url = serverAddress(context);
  if (url === undefined) throw cliErrors.CLI_SERVER_NEEDED('worker');
  const { config } = await context.config();
  const { cores, memory, tags, launcher } = config.execution;
  await runRemoteWorker({
    client: new VarveClient({ url, token: variable(context.environment, 'VARVE_TOKEN'), retries: 0 }),
    name: plainName(options.name ?? hostname()),
    tags: options.tags === undefined ? tags : readTagList(options.tags),
    cores: options.cores ?? cores ?? availableParallelism(),
    memoryBytes: options.memory ?? (memory && 'bytes' in memory ? memory.bytes : totalmem()),
    sharedStorage: options['shared-storage'],
    folder: options.folder ?? join(config.home, 'worker'),
    cacheDirectory: join(config.home, 'cache'),
    launcher,
    signal: context.signal,
    note: (text) => context.output.note(text),
    warn: (text) => context.output.warn(text),
  });
  return 0;
};

function plainName(text: string): string {
  const plain = text.replace(/[^A-Za-z0-9._-]/g, '-').slice(0, 100);
  return /^[A-Za-z0-9]/.test(plain) ? plain : `w${plain}`.slice(0, 100);
}

function readTagList(text: string): readonly string[] {
  const tags = text.split(',').filter((tag) => tag !== '');
  const wrong = tags.find((tag) => !tagPattern.test(tag));
  if (wrong !== undefined)
    throw cliErrors.CLI_OPTION_VALUE(
      '--tags',
      'tags of letters, digits, ".", "_" and "-"',
      JSON.stringify(wrong),
    );
  return tags;
}

// `varve logs`: what an attempt wrote, once or as it grows.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Api, Output } from '../../api/api.ts';
import { engineErrors } from '../../engine/error-codes.ts';
import type { CommandContext } from '../command.ts';
import type { CommandRun } from '../command-table.ts';
import { cliErrors } from '../error-codes.ts';
import { readPages } from '../read-pages.ts';
import { runNumber, withApi } from '../session.ts';

const lookMs = 100;
const streams = { both: ['stdout', 'stderr'], stdout: ['stdout'], stderr: ['stderr'] } as const;

interface LogOptions {
  readonly follow: boolean;
  readonly stream: keyof typeof streams;
  readonly attempt: number | undefined;
}

export const run: CommandRun<'logs'> = ({ arguments: given, options }, context) =>
  withApi(context, async (api) => {
    const id = runNumber(given.run);
    const keys = given.action === undefined ? await failedActions(api, id) : [given.action];
    for (const key of keys) {
      if (keys.length > 1) context.output.print(context.output.style.bold(`── ${key}`));
      await printLogs(api, id, key, options, context);
    }
    return 0;
  });

async function failedActions(api: Api, run: number): Promise<string[]> {
  const failed = await readPages((page) => api.listActions({ run, state: ['FAILED'], ...page }));
  return failed.map((action) => action.key);
}

async function printLogs(
  api: Api,
  run: number,
  key: string,
  options: LogOptions,
  context: CommandContext,
): Promise<void> {
  for (let printed = 0; ; ) {
    const action = await findAction(api, run, key);
    const wanted =
      options.attempt === undefined
        ? action.tries.at(-1)
        : action.tries.find((one) => one.number === options.attempt);
    const ended = action.endedAt !== null || !options.follow;
    if (!wanted && ended) throw cliErrors.CLI_NO_LOG(key, action.state);
    if (wanted && wanted.number > printed) {
      await printAttempt(api, action.action, wanted.number, options, context);
      printed = wanted.number;
    } else await sleep(lookMs);
    if (context.signal.aborted || !options.follow) return;
    if (ended || (wanted && options.attempt !== undefined)) return;
  }
}

async function findAction(api: Api, run: number, key: string): Promise<Output<'getAction'>> {
  const { items } = await api.listActions({ run, key });
  const [found] = items;
  if (!found) throw engineErrors.ACTION_NOT_FOUND(run, key);
  return api.getAction({ action: found.action });
}

async function printAttempt(
  api: Api,
  action: number,
  attempt: number,
  { follow, stream }: LogOptions,
  { output, signal }: CommandContext,
): Promise<void> {
  const print = async (name: 'stdout' | 'stderr'): Promise<void> => {
    const { body } = await api.readLog({ action, attempt, stream: name, ...(follow ? { follow } : {}) });
    for await (const piece of body) {
      output.write(piece);
      if (signal.aborted) return;
    }
  };
  if (follow) await Promise.all(streams[stream].map(print));
  else for (const name of streams[stream]) await print(name);
}

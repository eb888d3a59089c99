// `varve logs`: what an attempt wrote, once or as it grows.
import { open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AttemptRow } from '../../core/rows.ts';
import { engineErrors } from '../../engine/error-codes.ts';
import { requireDetails } from '../../engine/run-details.ts';
import type { Varve } from '../../varve.ts';
import type { CommandRun } from '../command-table.ts';
import { cliErrors } from '../error-codes.ts';
import { runNumber, withVarve } from '../session.ts';

const followMs = 100;
const streams = { both: ['stdout', 'stderr'], stdout: ['stdout'], stderr: ['stderr'] } as const;

export const run: CommandRun<'logs'> = ({ arguments: given, options }, context) =>
  withVarve(context, async (varve) => {
    const id = runNumber(given.run);
    await requireDetails(varve.store.view, id);
    const keys = given.action === undefined ? await failedActions(varve, id) : [given.action];
    for (const key of keys) {
      if (keys.length > 1) context.output.print(context.output.style.bold(`── ${key}`));
      await printLogs(varve, id, key, options, context.signal);
    }
    return 0;
  });

async function failedActions(varve: Varve, runId: number): Promise<string[]> {
  const [row] = await varve.store.view.runs([runId]);
  if (!row) throw engineErrors.RUN_NOT_FOUND(runId);
  return (await varve.store.view.actionsOfRun(runId, { states: ['FAILED'] })).map((action) => action.key);
}

async function printLogs(
  varve: Varve,
  runId: number,
  key: string,
  options: {
    readonly follow: boolean;
    readonly stream: keyof typeof streams;
    readonly attempt: number | undefined;
  },
  signal: AbortSignal,
): Promise<void> {
  const offsets = new Map<string, number>();
  for (;;) {
    const [action] = await varve.store.view.actionsByKey(runId, [key]);
    if (!action) throw engineErrors.ACTION_NOT_FOUND(runId, key);
    const attempts = await varve.store.view.attempts([action.id]);
    const attempt =
      options.attempt === undefined
        ? attempts.at(-1)
        : attempts.find((one) => one.number === options.attempt);
    if (!attempt && (action.endedAt !== null || !options.follow))
      throw cliErrors.CLI_NO_LOG(key, action.state);
    if (attempt)
      for (const stream of streams[options.stream]) await printNew(varve, attempt, stream, offsets);
    if (!options.follow || action.endedAt !== null || signal.aborted) return;
    await sleep(followMs);
  }
}

async function printNew(
  varve: Varve,
  attempt: AttemptRow,
  stream: 'stdout' | 'stderr',
  offsets: Map<string, number>,
): Promise<void> {
  const path = join(varve.storage.attemptSpace(attempt.key).logs, stream);
  const size = await stat(path).then(
    (found) => found.size,
    () => 0,
  );
  let offset = offsets.get(path) ?? 0;
  if (size <= offset) return;
  const file = await open(path);
  try {
    const buffer = Buffer.alloc(1 << 16);
    while (offset < size) {
      const { bytesRead } = await file.read(buffer, 0, Math.min(buffer.length, size - offset), offset);
      if (bytesRead === 0) break;
      process.stdout.write(Buffer.from(buffer.subarray(0, bytesRead)));
      offset += bytesRead;
    }
  } finally {
    offsets.set(path, offset);
    await file.close();
  }
}

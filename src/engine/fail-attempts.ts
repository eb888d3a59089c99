// An attempt did not succeed: another one follows after a delay if the policy allows it, otherwise the action ends. Attempts that the
// back-end lost, and failures of the infrastructure, are counted apart from failures of the command.

import type { JsonObject } from '../core/json.ts';
import { readNode } from '../core/node-text.ts';
import type { JobOutcome } from '../core/ports/backend.ts';
import type { MoveContext, StoreTransaction } from '../core/ports/store.ts';
import type { ActionRow, AttemptRow } from '../core/rows.ts';
import type { RetryPolicy } from '../core/workflow.ts';
import { endActions } from './end-actions.ts';
import { awaitInputs } from './lose-datasets.ts';

export interface FailedAttempt {
  readonly action: ActionRow;
  /** Undefined when the action failed before an attempt was made. */
  readonly attemptId: number | undefined;
  readonly outcome: JobOutcome | undefined;
  readonly error: JsonObject & { readonly code: string; readonly message: string };
  /** `command`: its own policy decides; `infrastructure`: tried again a few times; `never`: ends at once; `cancel`: was asked to stop. */
  readonly kind: 'command' | 'infrastructure' | 'never' | 'cancel';
}

/** How often an action is tried again for reasons that are not its own. */
export const infrastructureTries = 5;

/** Ends what its manager still owns; returns the ids of those actions. */
export async function failAttempts(
  tx: StoreTransaction,
  failures: readonly FailedAttempt[],
  context: MoveContext,
): Promise<Set<number>> {
  const current = new Map(
    (await tx.actions(failures.map(({ action }) => action.id))).map((row) => [row.id, row]),
  );
  const mine = failures.filter(({ action }) => current.get(action.id)?.fence === action.fence);
  await endAttempts(tx, mine, context);
  const retried: number[] = [];
  for (const failure of mine) {
    const action = current.get(failure.action.id) as ActionRow;
    // An action that went on only for others is not tried again for them: they get attempts of their own.
    const unwanted = action.cancelRequested !== 0;
    const delayMs = unwanted ? undefined : await retryDelay(tx, failure, action);
    if (delayMs === undefined) {
      const killed = failure.kind === 'cancel' || unwanted;
      await endActions(
        tx,
        [
          killed
            ? { action, event: 'kill', reason: { code: 'CANCELLED' }, fenced: true }
            : { action, event: 'fail', error: failure.error, fenced: true },
        ],
        context,
      );
      continue;
    }
    const lost = failure.kind === 'infrastructure' && !isUnstarted(failure) ? action.lost + 1 : action.lost;
    const set = { owner: null, leaseUntil: context.at + delayMs, lost, error: JSON.stringify(failure.error) };
    const detail = { ...failure.error, delayMs };
    await tx.move('action', 'retry', [{ id: action.id, fence: action.fence, set, detail }], context);
    retried.push(action.id);
  }
  if (retried.length > 0) {
    // Inputs that were lost while it ran are missed only now (I6).
    await awaitInputs(tx, retried, context);
    tx.notify('ready');
  }
  return new Set(mine.map(({ action }) => action.id));
}

async function endAttempts(
  tx: StoreTransaction,
  failures: readonly FailedAttempt[],
  context: MoveContext,
): Promise<void> {
  for (const event of ['fail', 'lose', 'cancel'] as const) {
    await tx.move(
      'attempt',
      event,
      failures
        .filter((failure) => failure.attemptId !== undefined && attemptEvent(failure) === event)
        .map(({ attemptId, outcome, error, kind }) => ({
          id: attemptId as number,
          set: {
            endedAt: (outcome && 'endedAt' in outcome ? outcome.endedAt : undefined) ?? context.at,
            startedAt: (outcome && 'startedAt' in outcome ? outcome.startedAt : undefined) ?? null,
            exitCode: outcome?.kind === 'exited' ? outcome.exitCode : null,
            signal: outcome?.kind === 'exited' ? (outcome.signal ?? null) : null,
            cpuMs: cpuMs(outcome),
            peakBytes:
              (outcome && 'peakMemoryBytes' in outcome ? outcome.peakMemoryBytes : undefined) ?? null,
            error: JSON.stringify({ ...error, kind }),
          },
        })),
      context,
    );
  }
}

function attemptEvent({ kind, outcome }: FailedAttempt): 'fail' | 'lose' | 'cancel' {
  if (outcome?.kind === 'cancelled' || kind === 'cancel') return 'cancel';
  return outcome?.kind === 'lost' ? 'lose' : 'fail';
}

export function cpuMs(outcome: JobOutcome | undefined): number | null {
  const seconds = outcome && 'cpuSeconds' in outcome ? outcome.cpuSeconds : undefined;
  return seconds === undefined ? null : Math.round(seconds * 1000);
}

/** Milliseconds until the next attempt; undefined when there is none. */
async function retryDelay(
  tx: StoreTransaction,
  failure: FailedAttempt,
  action: ActionRow,
): Promise<number | undefined> {
  const { retries } = readNode(action.node).policy;
  if (isUnstarted(failure)) return 0;
  if (failure.kind === 'infrastructure') {
    return action.lost < infrastructureTries
      ? backOff({ ...retries, delayMs: Math.min(retries.delayMs, 1000) }, action.lost)
      : undefined;
  }
  if (failure.kind !== 'command' || !worthRetry(retries, failure.outcome)) return undefined;
  const failed = (await tx.attempts([action.id])).filter(failedByCommand).length;
  return failed > retries.count ? undefined : backOff(retries, failed - 1);
}

/** Its manager left, or died, before the job began: nothing went wrong with it. */
function isUnstarted({ outcome }: FailedAttempt): boolean {
  return outcome?.kind === 'lost' && outcome.unstarted === true;
}

function failedByCommand(attempt: AttemptRow): boolean {
  if (attempt.state !== 'FAILED' || attempt.error === null) return false;
  return (JSON.parse(attempt.error) as { kind?: string }).kind === 'command';
}

function worthRetry(retries: RetryPolicy, outcome: JobOutcome | undefined): boolean {
  if (!retries.exitCodes || outcome?.kind !== 'exited') return true;
  return retries.exitCodes.includes(outcome.exitCode);
}

function backOff(retries: RetryPolicy, done: number): number {
  return Math.min(retries.maxDelayMs, Math.round(retries.delayMs * retries.backoff ** Math.max(0, done)));
}

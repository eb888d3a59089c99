// Commits attempts before they are handed to the back-end (I4): the action is SUBMITTED and its attempt row exists, or the attempt does not
// count and is never handed over.
import type { MoveContext, StoreTransaction } from '../core/ports/store.ts';
import type { ActionRow } from '../core/rows.ts';

export interface NewAttempt {
  readonly action: ActionRow;
  readonly key: string;
  readonly backend: string;
  /** Known before the hand-over where the back-end has one for all its jobs. */
  readonly handle: string | null;
}

export interface CommittedAttempt {
  readonly id: number;
  readonly number: number;
}

/** Returns, per attempt, what was committed, or undefined where the action is no longer the caller's or a cancel came first. */
export async function submitAttempts(
  tx: StoreTransaction,
  attempts: readonly NewAttempt[],
  context: MoveContext,
): Promise<(CommittedAttempt | undefined)[]> {
  const moved = await tx.move(
    'action',
    'submit',
    attempts.map(({ action }) => ({
      id: action.id,
      fence: action.fence,
      version: action.version,
      set: { attempts: action.attempts + 1 },
    })),
    context,
  );
  const won = new Set(moved.map((one) => one.id));
  let next = won.size > 0 ? await tx.nextIds('attempt', won.size) : 0;
  const committed = attempts.map(({ action }) =>
    won.has(action.id) ? { id: next++, number: action.attempts + 1 } : undefined,
  );
  await tx.insertAttempts(
    attempts.flatMap((attempt, i) => {
      const made = committed[i];
      if (!made) return [];
      return [
        {
          ...made,
          state: 'SUBMITTED' as const,
          actionId: attempt.action.id,
          key: attempt.key,
          backend: attempt.backend,
          handle: attempt.handle,
          worker: context.actor,
          submittedAt: context.at,
          startedAt: null,
          endedAt: null,
          exitCode: null,
          signal: null,
          cpuMs: null,
          peakBytes: null,
          error: null,
        },
      ];
    }),
  );
  return committed;
}

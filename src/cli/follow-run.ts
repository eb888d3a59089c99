// Follows a run until it ends, with progress on the terminal, and works on it when the work is done in this process; an interruption
// cancels it.
import type { Output } from '../api/api.ts';
import { ownedActionStates } from '../core/machines/action.ts';
import type { CommandContext } from './command.ts';
import { placeResults } from './place-results.ts';
import { renderReport, reportOf } from './run-report.ts';
import type { Session } from './session.ts';
import { type ProgressDisplay, startProgress } from './terminal/progress-display.ts';
import { knowsUnicode } from './terminal/style.ts';

export interface FollowOptions {
  readonly outdir?: string | undefined;
}

const exitCodes: Record<string, number> = { SUCCEEDED: 0, FAILED: 1, CANCELLED: 130 };

/** Resolves with the exit code of the command. */
export async function followRun(
  session: Session,
  runId: number,
  { outdir }: FollowOptions,
  context: CommandContext,
): Promise<number> {
  const { output } = context;
  const silent = output.quiet && !output.json && outdir === undefined;
  if (silent && (await hasSucceeded(session, runId))) return 0;
  const before = await session.api.getRun({ run: runId });
  const run = before.endedAt === null ? await workOn(session, runId, context) : before;
  if (run.language === 'cwl') {
    const { finishCwlRun } = await import('./cwl/finish-cwl-run.ts');
    return finishCwlRun(session, run, outdir, context);
  }
  if (outdir !== undefined && run.state === 'SUCCEEDED') await placeResults(session, run, outdir);
  if (output.quiet && !output.json && run.state === 'SUCCEEDED') return 0;
  const report = reportOf(run);
  if (output.json) output.print(JSON.stringify(report, null, 2));
  else if (!output.quiet || run.state !== 'SUCCEEDED')
    output.print(renderReport(report, output.style, outdir));
  return exitCodes[run.state] ?? 1;
}

/** A look at the row alone: what a run has reused is counted and listed only for those who read it. */
async function hasSucceeded({ varve }: Session, runId: number): Promise<boolean> {
  const [run] = (await varve?.store.view.runs([runId])) ?? [];
  return run?.state === 'SUCCEEDED' && run.language !== 'cwl';
}

async function workOn(session: Session, runId: number, context: CommandContext): Promise<Output<'getRun'>> {
  const { output, signal, environment } = context;
  const display =
    output.json || output.quiet
      ? undefined
      : startProgress(process.stderr, { style: output.noteStyle, unicode: knowsUnicode(environment) });
  const progress = display && showProgress(session, runId, display);
  let cancelling: Promise<unknown> | undefined;
  const cancel = (): void => {
    display?.log(`cancelling run ${runId}; press Control-C again to leave it`);
    cancelling = session.api.cancelRun({ run: runId }).catch(() => {});
  };
  signal.addEventListener('abort', cancel);
  try {
    await waitForEnd(session, runId, () => progress?.refresh());
    return await session.api.getRun({ run: runId });
  } finally {
    signal.removeEventListener('abort', cancel);
    await cancelling;
    await progress?.stop();
    display?.stop();
  }
}

async function waitForEnd({ varve, client }: Session, runId: number, onChange: () => void): Promise<void> {
  if (varve) {
    await varve.work();
    await varve.wait(runId, { onChange });
    // The process is about to leave: it takes no work of other runs that others would have to take over.
    varve.engine.actionManager.pause();
    // What is reported as done is on the disk, whatever happens to the power next.
    await varve.storage.flush();
    return;
  }
  const refreshing = setInterval(onChange, refreshMs);
  try {
    await client?.waitForRun(runId);
  } finally {
    clearInterval(refreshing);
  }
}

const refreshMs = 200;

/** Reads the counts now and then while something changes; never more than one look at a time. */
function showProgress(
  { api }: Session,
  runId: number,
  display: ProgressDisplay,
): { refresh(): void; stop(): Promise<void> } {
  const startedAt = Date.now();
  let looking: Promise<void> | undefined;
  let lastLook = 0;
  async function look(): Promise<void> {
    const { name, actions: counts, savedMs } = await api.getRun({ run: runId });
    const running = await api.listActions({ run: runId, state: [...ownedActionStates], limit: 8 });
    const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
    display.update({
      title: name,
      total,
      counts: { ...counts, running: running.items.length },
      savedMs,
      startedAt,
      now: Date.now(),
      running: running.items.map(({ key, startedAt }) => ({ name: key, startedAt: startedAt ?? Date.now() })),
    });
  }
  return {
    refresh() {
      if (looking || Date.now() - lastLook < refreshMs) return;
      lastLook = Date.now();
      looking = look()
        .catch(() => {})
        .finally(() => {
          looking = undefined;
        });
    },
    async stop() {
      await looking;
    },
  };
}

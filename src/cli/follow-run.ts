// Works on a run in this process until it ends, with progress on the terminal; an interruption cancels it.
import { ownedActionStates } from '../core/machines/action.ts';
import type { RunRow } from '../core/rows.ts';
import type { Varve } from '../varve.ts';
import type { CommandContext } from './command.ts';
import { placeResults } from './place-results.ts';
import { countActions, renderReport, reportRun } from './run-report.ts';
import { type ProgressDisplay, startProgress } from './terminal/progress-display.ts';
import { knowsUnicode } from './terminal/style.ts';

export interface FollowOptions {
  readonly outdir?: string | undefined;
}

const exitCodes: Record<string, number> = { SUCCEEDED: 0, FAILED: 1, CANCELLED: 130 };

/** Resolves with the exit code of the command. */
export async function followRun(
  varve: Varve,
  runId: number,
  { outdir }: FollowOptions,
  context: CommandContext,
): Promise<number> {
  const { output } = context;
  const [before] = await varve.store.view.runs([runId]);
  const run = before?.endedAt == null ? await workOn(varve, runId, context) : before;
  if (run.language === 'cwl') {
    const { finishCwlRun } = await import('./cwl/finish-cwl-run.ts');
    return finishCwlRun(varve, run, outdir, context);
  }
  if (outdir !== undefined && run.state === 'SUCCEEDED') await placeResults(varve, runId, outdir);
  if (output.quiet && !output.json && run.state === 'SUCCEEDED') return 0;
  const report = await reportRun(varve, run);
  if (output.json) output.print(JSON.stringify(report, null, 2));
  else if (!output.quiet || run.state !== 'SUCCEEDED')
    output.print(renderReport(report, output.style, outdir));
  return exitCodes[run.state] ?? 1;
}

async function workOn(varve: Varve, runId: number, context: CommandContext): Promise<RunRow> {
  const { output, signal, environment } = context;
  const display =
    output.json || output.quiet
      ? undefined
      : startProgress(process.stderr, { style: output.noteStyle, unicode: knowsUnicode(environment) });
  const progress = display && showProgress(varve, runId, display);
  let cancelling: Promise<void> | undefined;
  const cancel = (): void => {
    display?.log(`cancelling run ${runId}; press Control-C again to leave it`);
    cancelling = varve.cancel(runId).catch(() => {});
  };
  signal.addEventListener('abort', cancel);
  try {
    await varve.work();
    const run = await varve.wait(runId, { onChange: () => progress?.refresh() });
    // The process is about to leave: it takes no work of other runs that others would have to take over.
    varve.engine.actionManager.pause();
    // What is reported as done is on the disk, whatever happens to the power next.
    await varve.storage.flush();
    return run;
  } finally {
    signal.removeEventListener('abort', cancel);
    await cancelling;
    await progress?.stop();
    display?.stop();
  }
}

const refreshMs = 200;

/** Reads the counts now and then while something changes; never more than one look at a time. */
function showProgress(
  varve: Varve,
  runId: number,
  display: ProgressDisplay,
): { refresh(): void; stop(): Promise<void> } {
  const startedAt = Date.now();
  let looking: Promise<void> | undefined;
  let lastLook = 0;
  async function look(): Promise<void> {
    const { view } = varve.store;
    const [run] = await view.runs([runId]);
    const counts = await countActions(view, runId);
    const running = await view.actionsOfRun(runId, { states: ownedActionStates, limit: 8 });
    const total =
      counts.computed + counts.reused + counts.joined + counts.skipped + counts.failed + counts.live;
    display.update({
      title: run?.name ?? `run ${runId}`,
      total,
      counts: { ...counts, running: running.length },
      savedMs: await view.savedMs(runId),
      startedAt,
      now: Date.now(),
      running: running.map((action) => ({ name: action.key, startedAt: action.startedAt ?? Date.now() })),
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

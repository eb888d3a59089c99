// Tells every live run, once, that what is needed at the same time does not fit into the budget. The runs go on.
import { formatBytes } from '../core/units.ts';
import { by, type EngineContext } from './engine-context.ts';
import type { Space } from './measure-space.ts';

export const overBudgetKind = 'over-budget';

/** Returns the runs that had not been told before. */
export async function tellOverBudget(
  context: EngineContext,
  space: Space,
  stayingBytes: number,
): Promise<readonly number[]> {
  const runs = await context.store.view.liveRuns();
  if (runs.length === 0) return [];
  const known = new Set(
    (await context.store.view.runNotes(runs)).flatMap((note) =>
      note.kind === overBudgetKind ? [note.runId] : [],
    ),
  );
  const fresh = runs.filter((id) => !known.has(id));
  if (fresh.length === 0) return [];
  const text = overBudgetText(space, stayingBytes);
  const detail = { stayingBytes, budgetBytes: space.budgetBytes, resultBytes: space.resultBytes };
  return context.store.write(async (tx) => {
    const told: number[] = [];
    for (const runId of fresh) {
      if (!(await tx.noteRun({ runId, kind: overBudgetKind, at: context.clock.now(), text }))) continue;
      await tx.note('run', runId, runId, 'overBudget', detail, by(context));
      told.push(runId);
    }
    return told;
  });
}

function overBudgetText({ budgetBytes, resultBytes }: Space, stayingBytes: number): string {
  const results = resultBytes > 0 ? ` (${formatBytes(resultBytes)} of it results)` : '';
  return `datasets that cannot be given up now take ${formatBytes(stayingBytes)}${results}, more than the budget of ${formatBytes(budgetBytes)}; the run goes on and exceeds it`;
}

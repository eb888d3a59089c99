// `varve history runs`: ended runs as decisions see them.
import type { Json } from '../../core/json.ts';
import { formatDuration } from '../../core/units.ts';
import { type HistoryRun, historyMembers, listHistory, refreshHistory } from '../../engine/history-api.ts';
import type { Varve } from '../../varve.ts';
import type { CommandRun } from '../command-table.ts';
import { withVarve } from '../session.ts';
import { showMoment } from '../terminal/moment.ts';
import { renderTable } from '../terminal/table.ts';

export const run: CommandRun<'history runs'> = ({ options }, context) =>
  withVarve(context, async (varve) => {
    await refreshHistory(varve.engine.context, varve.leaseMs);
    const { after, before, limit } = options;
    const runs = await listHistory(varve.store.view, { after, before, limit });
    const { output } = context;
    const next = runs.length < limit ? null : (runs.at(-1)?.seq ?? null);
    const listed =
      output.json && options.members ? await withMembers(varve, runs) : runs.map((one) => ({ ...one }));
    output.result({ runs: listed, next }, () => {
      if (runs.length === 0) return 'no runs have ended yet';
      const titles = [
        'ENTRY',
        'RUN',
        'ENDED',
        'WORKFLOW',
        'USER',
        'DATASETS',
        'COMPUTED',
        'REUSED',
        'SAVED',
        'PAID',
      ];
      const cells = runs.map((one) => [
        String(one.seq),
        String(one.run),
        showMoment(one.endedAt),
        one.workflow,
        one.user,
        String(one.datasets),
        String(one.computed),
        String(one.reused),
        formatDuration(one.savedMs),
        formatDuration(one.paidMs),
      ]);
      const columns = titles.map((title) => ({ title }));
      return renderTable(columns, cells, output.style, output.columns()).join('\n');
    });
    return 0;
  });

async function withMembers(varve: Varve, runs: readonly HistoryRun[]): Promise<Json[]> {
  const events = await varve.store.view.historyOfRuns(runs.map((one) => one.run));
  const byRun = new Map(events.map((event) => [event.runId, event]));
  const listed: Json[] = [];
  for (const one of runs) {
    const event = byRun.get(one.run);
    const members = event ? await historyMembers(varve.store.view, event) : [];
    listed.push({ ...one, members: members.map((member) => ({ ...member })) });
  }
  return listed;
}

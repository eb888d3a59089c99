// A site's own history as the laboratory sees it: the runs that production remembers, to be replayed against another
// algorithm or budget.
import type { DecisionHistory } from '../core/eviction/decision-history.ts';
import type { History } from './history.ts';
import { HistoryBuilder } from './history-builder.ts';

/** `labels` names each known dataset, such as by its signature; left out, its number does. Runs without results are left out. */
export function siteHistory(past: DecisionHistory, labels?: readonly string[]): History {
  const { table, log } = past;
  const builder = new HistoryBuilder();
  for (let d = 0; d < table.count; d += 1) {
    builder.addDataset({
      label: labels?.[d] ?? String(d),
      sizeBytes: table.sizeBytes[d]!,
      computeSeconds: table.computeSeconds[d]!,
      parents: Array.from(table.parents.subarray(table.parentStart[d]!, table.parentStart[d + 1]!)),
    });
  }
  for (let i = 0; i < log.count; i += 1) {
    const event = log.event(i);
    if (event.kind === 'run' && event.results.length > 0) {
      builder.addRun({ at: event.at, results: Array.from(event.results) });
    }
  }
  return builder.build({ family: 'site' });
}

// The history of this site in the form of the laboratory: every dataset by its signature, every run with its results.
import { decodeIds } from '../core/id-ranges.ts';
import { refreshHistory } from '../engine/history-api.ts';
import { HistoryFacts } from '../engine/history-facts.ts';
import type { History } from '../lab/history.ts';
import { HistoryBuilder } from '../lab/history-builder.ts';
import type { Varve } from '../varve.ts';

const rowsAtOnce = 5000;
const eventsAtOnce = 500;

export async function siteHistory(varve: Varve): Promise<History> {
  const { view } = varve.store;
  await refreshHistory(varve.engine.context, varve.leaseMs);
  const facts = new HistoryFacts();
  await facts.catchUp(view);
  const { table } = facts.past;
  const builder = new HistoryBuilder();
  const labels = await signatures(varve, facts);
  for (let d = 0; d < table.count; d += 1) {
    builder.addDataset({
      label: labels[d] as string,
      sizeBytes: table.sizeBytes[d] as number,
      computeSeconds: table.computeSeconds[d] as number,
      parents: Array.from(table.parents.subarray(table.parentStart[d], table.parentStart[d + 1])),
    });
  }
  for (let after = 0; ; ) {
    const events = await view.historyEvents({ after, kind: 'run', limit: eventsAtOnce });
    for (const event of events) {
      const results = facts.numbers.all(decodeIds(event.results));
      const wanted =
        results.length > 0 ? results : sinks(facts, facts.numbers.all(decodeIds(event.datasets)));
      if (wanted.length === 0) continue;
      builder.addRun({
        results: [...wanted],
        at: event.submittedAt,
        workflow: event.workflow,
        user: event.userName,
      });
    }
    const last = events.at(-1);
    if (!last || events.length < eventsAtOnce) break;
    after = last.seq;
  }
  return builder.build({ family: 'site' });
}

async function signatures(varve: Varve, { numbers, past }: HistoryFacts): Promise<string[]> {
  const labels: string[] = [];
  for (let start = 0; start < past.table.count; start += rowsAtOnce) {
    const end = Math.min(start + rowsAtOnce, past.table.count);
    const ids = Array.from({ length: end - start }, (_, i) => numbers.row(start + i));
    const rows = new Map((await varve.store.view.datasetSketches(ids)).map((row) => [row.id, row.signature]));
    for (const id of ids) labels.push(rows.get(id) as string);
  }
  return labels;
}

/** Members that no other member was made from: what a run wanted that has no results. */
function sinks({ past }: HistoryFacts, members: Int32Array): Int32Array {
  const { parents, parentStart } = past.table;
  const read = new Set<number>();
  for (const d of members)
    for (let i = parentStart[d]!; i < parentStart[d + 1]!; i += 1) read.add(parents[i]!);
  return members.filter((d) => !read.has(d));
}

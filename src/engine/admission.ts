// Admission: which of the datasets that are being computed are not worth keeping beyond their consumers. The algorithm is asked as if they
// were stored already, with the size and time that their action had before; what it would give up again at once is not admitted.

import type { Decider } from '../core/ports/decider.ts';
import { datasetMarks } from '../core/ports/decision-algorithm.ts';
import type { ActionCost, PresentDataset } from '../core/ports/history.ts';
import type { StoreView } from '../core/ports/store.ts';
import type { EngineContext } from './engine-context.ts';
import type { HistoryFacts } from './history-facts.ts';
import type { Present } from './present-facts.ts';
import { type PricedDataset, priceChoice } from './price-choice.ts';

/** `overBytes` is by how much what stays exceeds what should, before `givenUp` went; none are refused when all fit. */
export async function refusedComing(
  context: EngineContext,
  decider: Decider,
  history: HistoryFacts,
  present: Present,
  givenUp: readonly PricedDataset[],
  overBytes: number,
): Promise<readonly PricedDataset[]> {
  const { table } = history.past;
  const costs = await costsOf(context.store.view, present.coming);
  const marks = table.marks.slice(0, table.count);
  try {
    return await askAbout(context, decider, history, present, givenUp, overBytes, costs);
  } finally {
    table.marks.set(marks);
  }
}

async function askAbout(
  context: EngineContext,
  decider: Decider,
  history: HistoryFacts,
  present: Present,
  givenUp: readonly PricedDataset[],
  overBytes: number,
  costs: ReadonlyMap<string, ActionCost>,
): Promise<readonly PricedDataset[]> {
  const { table, log } = history.past;
  const rows = new Map<number, PresentDataset>();
  let comingBytes = 0;
  for (const row of present.coming) {
    const cost = costs.get(row.name);
    const bytes = Math.round(row.sizeBytes ?? cost?.meanBytes ?? 0);
    if (bytes <= 0 || row.keep === 'always') continue;
    const known = history.numbers.of(row.id);
    const number =
      known ??
      table.add({
        identity: row.id,
        sizeBytes: bytes,
        computeSeconds: (row.computeMs ?? cost?.meanMs ?? 0) / 1000,
        parents: [],
      });
    if (known === undefined) {
      table.lastAccessAt[number] = context.clock.now();
      table.lastDemandRun[number] = Math.max(0, log.runs - 1);
    }
    table.marks[number] = datasetMarks.stored;
    rows.set(number, row);
    comingBytes += bytes;
  }
  for (const { row } of givenUp) table.marks[history.numbers.of(row.id) as number] = 0;
  const freed = givenUp.reduce((sum, { bytes }) => sum + bytes, 0);
  const wanted = Math.ceil(overBytes - freed + comingBytes);
  if (rows.size === 0 || wanted <= 0) return [];
  const facts = present.facts(context.clock.now(), wanted);
  const { choice, by } = await decider.decide(facts, log);
  const refused = Array.from(choice.giveUp).filter((number) => rows.has(number));
  const reason = 'is expected to be worth less than what is kept';
  return priceChoice(facts, { giveUp: refused }, (number) => rows.get(number), by, reason);
}

/** What actions of these names cost before. */
async function costsOf(view: StoreView, rows: readonly PresentDataset[]): Promise<Map<string, ActionCost>> {
  const wanted = new Set(rows.map((row) => row.name));
  const costs = new Map<string, ActionCost>();
  if (wanted.size === 0) return costs;
  for (let after = ''; ; ) {
    const page = await view.actionCosts({ after, limit: 1000 });
    for (const cost of page) if (wanted.has(cost.name)) costs.set(cost.name, cost);
    const last = page.at(-1);
    if (!last || page.length < 1000) return costs;
    after = last.name;
  }
}

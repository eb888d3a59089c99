// `why`: for every action of a run, why it ran or did not, down to the first field in which its definition differs from the nearest
// earlier dataset of the same name.
import type { Json } from '../core/json.ts';
import { isList, isObject } from '../core/json.ts';
import type { StoreView } from '../core/ports/store.ts';
import { parseReason, reasonText } from '../core/reason.ts';
import type { ActionRow, DatasetRow, RunRow } from '../core/rows.ts';
import { engineErrors } from './error-codes.ts';
import { requireDetails } from './run-details.ts';

export interface Difference {
  /** Where: `action.shell`, `parents.table[0]`. */
  readonly path: string;
  readonly before: Json | undefined;
  readonly now: Json | undefined;
}

export interface Explanation {
  readonly key: string;
  readonly name: string;
  readonly state: string;
  readonly code: string;
  readonly why: string;
  readonly signature: string;
  /** The nearest earlier dataset, and how this definition differs from it; absent when there is none. */
  readonly nearest?: {
    readonly signature: string;
    readonly state: string;
    readonly differences: readonly Difference[];
  };
}

const comparedWith = 50;

/** Explains one action or all of them, in the order in which they were planned. */
export async function explainRun(view: StoreView, runId: number, key?: string): Promise<Explanation[]> {
  const [run] = await view.runs([runId]);
  if (!run) throw engineErrors.RUN_NOT_FOUND(runId);
  await requireDetails(view, runId);
  const actions = key === undefined ? await view.actionsOfRun(runId) : await view.actionsByKey(runId, [key]);
  if (key !== undefined && actions.length === 0) throw engineErrors.ACTION_NOT_FOUND(runId, key);
  const names = new Map<string, DatasetRow[]>();
  const explanations: Explanation[] = [];
  for (const action of actions) explanations.push(await explain(view, run, action, names));
  return explanations;
}

async function explain(
  view: StoreView,
  run: RunRow,
  action: ActionRow,
  names: Map<string, DatasetRow[]>,
): Promise<Explanation> {
  const reason = parseReason(action.reason);
  const base = {
    key: action.key,
    name: action.name,
    state: action.state,
    code: reason.code,
    why: reasonText(reason),
    signature: action.signature,
  };
  if (reason.code !== 'NEVER_COMPUTED') return base;
  let earlier = names.get(action.name);
  if (!earlier) {
    earlier = await view.datasetsNamed(action.name, [run.realm], comparedWith);
    names.set(action.name, earlier);
  }
  const own = earlier.find((row) => row.signature === action.signature) ?? (await ownDataset(view, action));
  if (!own) return base;
  const others = earlier.filter((row) => row.signature !== action.signature && row.id < own.id);
  const nearest = others
    .map((row) => ({ row, differences: differencesOf(row.definition, own.definition) }))
    .sort((a, b) => a.differences.length - b.differences.length || b.row.id - a.row.id)[0];
  if (!nearest) return base;
  const { row, differences } = nearest;
  return { ...base, nearest: { signature: row.signature, state: row.state, differences } };
}

async function ownDataset(view: StoreView, action: ActionRow): Promise<DatasetRow | undefined> {
  return action.datasetId === null ? undefined : (await view.datasets([action.datasetId]))[0];
}

/** The fields in which two canonical definitions differ. */
export function differencesOf(before: string, now: string): Difference[] {
  const [, , was] = JSON.parse(before) as Json[];
  const [, , is] = JSON.parse(now) as Json[];
  const found: Difference[] = [];
  compare('', was, is, found);
  return found;
}

function compare(path: string, before: Json | undefined, now: Json | undefined, found: Difference[]): void {
  if (isObject(before) && isObject(now)) {
    for (const name of [...new Set([...Object.keys(before), ...Object.keys(now)])].sort()) {
      compare(path === '' ? name : `${path}.${name}`, before[name], now[name], found);
    }
  } else if (isList(before) && isList(now)) {
    for (let i = 0; i < Math.max(before.length, now.length); i++)
      compare(`${path}[${i}]`, before[i], now[i], found);
  } else if (JSON.stringify(before) !== JSON.stringify(now)) {
    found.push({ path, before, now });
  }
}

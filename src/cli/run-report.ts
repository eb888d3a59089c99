// What is said about a run when it has ended: counts, time saved, results, failures. The same facts as text and as JSON.

import type { JsonObject } from '../core/json.ts';
import type { StoreView } from '../core/ports/store.ts';
import { parseReason } from '../core/reason.ts';
import type { RunRow } from '../core/rows.ts';
import { formatDuration } from '../core/units.ts';
import { resultsOfRun } from '../engine/run-results.ts';
import type { Varve } from '../varve.ts';
import type { Style } from './terminal/style.ts';

export interface ActionCounts {
  readonly computed: number;
  readonly reused: number;
  /** Computed by another run that this one waited for. */
  readonly joined: number;
  readonly skipped: number;
  readonly failed: number;
  readonly live: number;
}

export interface RunReport {
  readonly run: number;
  readonly name: string;
  readonly state: string;
  readonly actions: Omit<ActionCounts, 'live'>;
  readonly elapsedMs: number;
  readonly savedMs: number;
  /** Results by the id of their action; an action that stood for a list has several. */
  readonly outputs: Readonly<Record<string, ResultFiles | readonly ResultFiles[]>>;
  readonly failures: readonly { readonly action: string; readonly code: string; readonly message: string }[];
  /** What its user should know although nothing failed, such as a budget that was too small. */
  readonly warnings: readonly string[];
}

export interface ResultFiles {
  readonly signature: string;
  readonly digest: string;
  readonly sizeBytes: number;
  readonly path: string;
}

/** Growing actions compute nothing, so they are not counted. */
export async function countActions(view: StoreView, runId: number): Promise<ActionCounts> {
  const counts = { computed: 0, reused: 0, joined: 0, skipped: 0, failed: 0, live: 0 };
  for (const { state, reason, expands, count } of await view.summarizeActions(runId)) {
    if (state === 'FAILED' || state === 'KILLED') counts.failed += count;
    else if (expands === 1 && state === 'FINISHED') continue;
    else if (state === 'FINISHED') counts.computed += count;
    else if (state === 'REUSED') counts[parseReason(reason).code === 'JOINED' ? 'joined' : 'reused'] += count;
    else if (state === 'SKIPPED') counts.skipped += count;
    else counts.live += count;
  }
  return counts;
}

export async function reportRun(varve: Varve, run: RunRow): Promise<RunReport> {
  const { view } = varve.store;
  const [recorded] = await view.historyOfRuns([run.id]);
  const compacted = recorded?.compactedAt != null ? recorded : undefined;
  const { live: _, ...counted } = await countActions(view, run.id);
  const actions = compacted
    ? { ...counted, computed: compacted.computedCount, reused: compacted.reusedCount }
    : counted;
  return {
    run: run.id,
    name: run.name,
    state: run.state,
    actions,
    elapsedMs: (run.endedAt ?? Date.now()) - run.submittedAt,
    savedMs: compacted?.savedMs ?? (await view.savedMs(run.id)),
    outputs: await resultFiles(varve, run.id),
    failures: actions.failed > 0 ? await failures(view, run.id) : [],
    warnings: (await view.runNotes([run.id])).map((note) => note.text),
  };
}

async function resultFiles(varve: Varve, runId: number): Promise<RunReport['outputs']> {
  const results = await resultsOfRun(varve.store.view, runId);
  const rows = new Map(
    (await varve.store.view.datasets(results.map((result) => result.datasetId))).map((row) => [row.id, row]),
  );
  const outputs: Record<string, ResultFiles | ResultFiles[]> = {};
  for (const { key, position, datasetId } of results) {
    const row = rows.get(datasetId);
    if (!row?.location) continue;
    const files = {
      signature: row.signature,
      digest: row.digest ?? '',
      sizeBytes: row.sizeBytes ?? 0,
      path: varve.storage.path(row.location),
    };
    const list = outputs[key];
    if (position === '') outputs[key] = files;
    else outputs[key] = [...(Array.isArray(list) ? list : []), files];
  }
  return outputs;
}

async function failures(view: StoreView, runId: number): Promise<RunReport['failures']> {
  const failed = await view.actionsOfRun(runId, { states: ['FAILED'], limit: 20 });
  return failed.map((action) => {
    const error = action.error ? (JSON.parse(action.error) as JsonObject) : {};
    return {
      action: action.key,
      code: String(error.code ?? 'UNKNOWN'),
      message: String(error.message ?? ''),
    };
  });
}

/** The report as lines for a terminal. */
export function renderReport(report: RunReport, style: Style, outdir?: string): string {
  const { actions, state } = report;
  const paint = state === 'SUCCEEDED' ? style.green : state === 'FAILED' ? style.red : style.yellow;
  const lines = [
    `run ${report.run} ${paint(state.toLowerCase())} in ${formatDuration(report.elapsedMs)}: ${countWords(actions)}`,
  ];
  if (report.savedMs > 0) lines.push(`  reuse saved ${formatDuration(report.savedMs)} of computing`);
  for (const warning of report.warnings) lines.push(`  ${style.yellow('warning')}: ${warning}`);
  for (const failure of report.failures) {
    lines.push(`  ${style.red('failed')} ${failure.action}: ${failure.message} [${failure.code}]`);
  }
  if (report.failures.length > 0) lines.push(`  see: varve logs ${report.run} ${report.failures[0]?.action}`);
  lines.push(...resultLines(report, outdir));
  return lines.join('\n');
}

function countWords(actions: RunReport['actions']): string {
  const { computed, reused, joined, skipped, failed } = actions;
  if (computed + joined + failed === 0 && reused > 0) {
    return `everything was reused (${reused} reused${skipped > 0 ? `, ${skipped} not needed` : ''})`;
  }
  const words: [number, string][] = [
    [computed, 'computed'],
    [reused, 'reused'],
    [joined, 'joined'],
    [skipped, 'skipped'],
    [failed, 'failed'],
  ];
  return words
    .filter(([count, word]) => count > 0 || word === 'computed')
    .map(([count, word]) => `${count} ${word}`)
    .join(', ');
}

const shownResults = 10;

function resultLines(report: RunReport, outdir: string | undefined): string[] {
  const keys = Object.keys(report.outputs);
  if (keys.length === 0) return [];
  if (outdir !== undefined) return [`  results: ${outdir}`];
  const lines = keys.slice(0, shownResults).map((key) => {
    const files = report.outputs[key] as ResultFiles | readonly ResultFiles[];
    return 'path' in files ? `  result ${key}: ${files.path}` : `  result ${key}: ${files.length} datasets`;
  });
  if (keys.length > shownResults)
    lines.push(`  and ${keys.length - shownResults} more; use --outdir or --json`);
  return lines;
}

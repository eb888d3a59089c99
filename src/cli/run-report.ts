// What is said about a run when it has ended: counts, time saved, results, failures. The same facts as text and as JSON.
import type { Output } from '../api/api.ts';
import { formatDuration } from '../core/units.ts';
import type { Style } from './terminal/style.ts';

type RunDetail = Output<'getRun'>;
type ActionCounts = RunDetail['actions'];

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
  /** Where its files are on the machine that did the work, as far as the caller may know. */
  readonly path?: string;
}

export function reportOf(run: RunDetail): RunReport {
  const { live: _, ...actions } = run.actions;
  return {
    run: run.run,
    name: run.name,
    state: run.state,
    actions,
    elapsedMs: run.elapsedMs,
    savedMs: run.savedMs,
    outputs: outputsOf(run),
    failures: run.failures,
    warnings: run.warnings,
  };
}

function outputsOf(run: RunDetail): RunReport['outputs'] {
  const outputs: Record<string, ResultFiles | ResultFiles[]> = {};
  for (const { action, position, dataset, digest, sizeBytes, path } of run.outputs) {
    const files = { signature: dataset, digest, sizeBytes, ...(path === null ? {} : { path }) };
    const list = outputs[action];
    if (position === '') outputs[action] = files;
    else outputs[action] = [...(Array.isArray(list) ? list : []), files];
  }
  return outputs;
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
    if (!('signature' in files)) return `  result ${key}: ${files.length} datasets`;
    return `  result ${key}: ${files.path ?? `dataset ${files.signature.slice(0, 12)}`}`;
  });
  if (keys.length > shownResults)
    lines.push(`  and ${keys.length - shownResults} more; use --outdir or --json`);
  return lines;
}

// `varve lab run`: a history for real, beside its simulation and its ideal.
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { formatBytes, formatDuration } from '../../core/units.ts';
import { loadAlgorithm, resolveAlgorithm } from '../../decisions/load-plugin.ts';
import { boundHistory } from '../../lab/bounds/bound.ts';
import { families } from '../../lab/families/index.ts';
import type { History } from '../../lab/history.ts';
import { loadHistory } from '../../lab/history-source.ts';
import { replay } from '../../lab/replay.ts';
import { planReplay } from '../../lab/replay-plan.ts';
import type { CommandRun } from '../command-table.ts';
import { budgetsOf, parametersOf } from '../lab-request.ts';
import { realHistory, runHistory } from '../laboratory/run-history.ts';
import { countProgress } from '../terminal/count-progress.ts';

export const run: CommandRun<'lab run'> = async ({ arguments: given, options }, context) => {
  const { output, signal } = context;
  const parameters = parametersOf(options.parameter, options.instance);
  const isFamily = Object.hasOwn(families, given.history) && !existsSync(given.history);
  const loaded = loadHistory(
    isFamily
      ? { kind: 'family', family: given.history, seed: options.seed, parameters }
      : { kind: 'file', path: given.history },
  );
  const history = realHistory(loaded, options['mean-size'] / mean(loaded.sizeBytes));
  const plan = planReplay(history);
  const [budget] = budgetsOf([options.budget]);
  const budgetBytes =
    budget && 'share' in budget ? Math.floor(budget.share * plan.footprintBytes) : (budget?.bytes ?? 0);
  const algorithm = await loadAlgorithm(resolveAlgorithm(options.algorithm, process.cwd()));
  const simulated = replay(plan, algorithm, { budgetBytes });
  const bounds = boundHistory(plan, { budgetBytes, achievedSeconds: [simulated.totalSeconds] });

  const folder = options.folder ?? (await mkdtemp(join(tmpdir(), 'varve-lab-')));
  const progress = countProgress(process.stderr, output.noteStyle, 'runs', !output.quiet && !output.json);
  try {
    const real = await runHistory(history, {
      folder,
      algorithm: options.algorithm,
      budgetBytes,
      decide: options.decide,
      timeScale: options['total-time'] / 1000 / Math.max(1e-9, plan.unlimitedSeconds),
      cores: options.cores,
      signal,
      onRun: progress.update,
      onProblem: (error, doing) => output.warn(`${doing}: ${error instanceof Error ? error.message : error}`),
    });
    const report = {
      runs: history.runs.length,
      datasets: history.labels.length,
      budgetBytes,
      footprintBytes: plan.footprintBytes,
      actualSeconds: real.totalSeconds,
      simulatedSeconds: simulated.totalSeconds,
      unlimitedSeconds: plan.unlimitedSeconds,
      lowerSeconds: bounds.lowerSeconds,
      idealSeconds: bounds.upperSeconds,
      idealOverActual: bounds.upperSeconds / real.totalSeconds,
      elapsedSeconds: real.elapsedSeconds,
      computed: real.runs.reduce((sum, one) => sum + one.computed.length, 0),
      mostHeldBytes: Math.max(0, ...real.runs.map((one) => one.heldBytes)),
    };
    progress.stop();
    output.result(report, () => lines(report, options.algorithm).join('\n'));
  } finally {
    progress.stop();
    if (options.folder === undefined) await rm(folder, { recursive: true, force: true });
  }
  return 0;
};

function lines(report: Record<string, number>, algorithm: string): string[] {
  const time = (key: string): string => formatDuration((report[key] ?? 0) * 1000);
  return [
    `${report.runs} runs over ${report.datasets} datasets with ${algorithm} and ${formatBytes(report.budgetBytes ?? 0)} of the ${formatBytes(report.footprintBytes ?? 0)} that an unlimited store would hold`,
    `  computed for real   ${time('actualSeconds')} in ${report.computed} actions`,
    `  simulated           ${time('simulatedSeconds')}`,
    `  ideal               between ${time('lowerSeconds')} and ${time('idealSeconds')}; ${time('unlimitedSeconds')} with an unlimited store`,
    `  ideal/actual        ${(report.idealOverActual ?? 0).toFixed(3)}`,
    `  at most             ${formatBytes(report.mostHeldBytes ?? 0)} after a run, results left out`,
    `  took                ${time('elapsedSeconds')}`,
  ];
}

function mean(values: History['sizeBytes']): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}

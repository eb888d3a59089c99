// Errors of decision plug-ins. None of them stops the decision manager: the fallback decides and the reason is journaled.
import { defineErrors } from '../core/errors.ts';

export const decisionErrors = defineErrors({
  DECISION_PLUGIN_MISSING: {
    kind: 'missing',
    summary: 'A decision algorithm is neither shipped, nor a file, nor an installed package.',
    message: (name: string, from: string, shipped: readonly string[]) =>
      `there is no decision algorithm "${name}" as seen from ${from}; shipped are ${shipped.join(', ')}`,
    hint: 'a file is named by a path that starts with ./ or /, a package by its name',
  },
  DECISION_PLUGIN_SHAPE: {
    kind: 'invalid',
    summary: 'A module was loaded as a decision algorithm but does not export one by default.',
    message: (module: string, problem: string) => `${module} is not a decision algorithm: ${problem}`,
    hint: 'export default { name, reason, decide(facts, state) { return { giveUp: [] } } }',
  },
  DECISION_PLUGIN_FAILED: {
    kind: 'failed',
    summary:
      'A decision algorithm threw, ran out of memory or ended its thread; the fallback decided instead.',
    message: (name: string, problem: string) => `decision algorithm "${name}" failed: ${problem}`,
  },
  DECISION_PLUGIN_TIMEOUT: {
    kind: 'timeout',
    summary: 'A decision algorithm did not answer in time and was stopped; the fallback decided instead.',
    message: (name: string, limitMs: number) =>
      `decision algorithm "${name}" gave no answer within ${limitMs} ms`,
  },
  DECISION_CHOICE_REFUSED: {
    kind: 'failed',
    summary:
      'A decision algorithm answered with a choice that may not be carried out; the fallback decided instead.',
    message: (name: string, problem: string, others: number) =>
      `the choice of "${name}" was refused: ${problem}${others > 0 ? ` (and ${others} more)` : ''}`,
  },
});

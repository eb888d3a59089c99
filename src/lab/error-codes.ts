// Errors of the laboratory.
import { defineErrors } from '../core/errors.ts';

export const labErrors = defineErrors({
  LAB_UNKNOWN_FAMILY: {
    kind: 'missing',
    summary:
      'A history was asked for from a family of generators that does not exist; choose one of those listed.',
    message: (family: string, known: readonly string[]) =>
      `there is no family "${family}"; known families: ${known.join(', ')}`,
  },
  LAB_UNKNOWN_PARAMETER: {
    kind: 'invalid',
    summary: 'A family of generators was given a parameter that it does not have.',
    message: (family: string, key: string, known: readonly string[]) =>
      `family "${family}" has no parameter "${key}"; it has: ${known.join(', ')}`,
  },
  LAB_BAD_PARAMETER: {
    kind: 'invalid',
    summary: 'A parameter of a family of generators has the wrong form.',
    message: (family: string, key: string, example: string) =>
      `parameter "${key}" of family "${family}" must look like ${example}`,
  },
  LAB_BAD_HISTORY: {
    kind: 'invalid',
    summary: 'A history file has lines that cannot be used; docs/lab-history.md describes the format.',
    message: (problem: string) => problem,
  },
  LAB_BAD_INSTANCE: {
    kind: 'invalid',
    summary: 'A workflow instance is not valid WfFormat 1.5 or 1.6, or lacks what a history needs.',
    message: (problem: string) => problem,
  },
  LAB_BAD_BUDGET: {
    kind: 'invalid',
    summary: 'A budget is a share such as `10%` or a size such as `200GB`.',
    message: (text: string) => `"${text}" is no budget; expected a share such as 10% or a size such as 200GB`,
  },
  LAB_BAD_ASSIGNMENT: {
    kind: 'invalid',
    summary: 'A parameter of a family is given as its name, an equals sign and a JSON value.',
    message: (text: string) => `"${text}" is no parameter; expected NAME=VALUE with a JSON value`,
  },
  LAB_BAD_RESULTS: {
    kind: 'invalid',
    summary: 'A file is not what `varve lab simulate --out` writes.',
    message: (file: string, problem: string) => `${file} holds no simulation results: ${problem}`,
  },
  LAB_NO_INSTANCES: {
    kind: 'invalid',
    summary: 'The family `wfinst` needs the paths of WfFormat files in its parameter `instances`.',
    message: () => 'family "wfinst" needs at least one WfFormat file: instances=["path.json"]',
  },
  LAB_UNREADABLE: {
    kind: 'missing',
    summary: 'A file that the laboratory was to read cannot be read.',
    message: (file: string, reason: string) => `cannot read ${file}: ${reason}`,
  },
  LAB_TASK_FAILED: {
    kind: 'failed',
    summary: 'One history of a simulation could not be replayed; the message says why.',
    message: (problem: string, code: string) =>
      code === 'LAB_TASK_FAILED' ? problem : `${problem} [${code}]`,
  },
  LAB_STOPPED: {
    kind: 'cancelled',
    summary: 'A simulation was stopped before its end.',
    message: () => 'the simulation was stopped',
  },
  LAB_INVALID_CHOICE: {
    kind: 'failed',
    summary:
      'An algorithm made a choice in the laboratory that production would refuse; `varve lab check` finds all such.',
    message: (algorithm: string, run: number, problem: string) =>
      `algorithm "${algorithm}" made an invalid choice after run ${run + 1}: ${problem}`,
  },
  LAB_COST_IDENTITY: {
    kind: 'bug',
    summary: 'The simulator computed a total that is not first-time cost plus recomputation.',
    message: (total: number, expected: number) =>
      `simulated ${total} seconds, but first-time cost and recomputation add up to ${expected}`,
  },
});

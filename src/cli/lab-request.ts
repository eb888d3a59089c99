// From the laboratory's options to what its functions take.

import type { Json, JsonObject } from '../core/json.ts';
import { parseBytes, parsePercent } from '../core/units.ts';
import { resolveAlgorithm } from '../decisions/load-plugin.ts';
import { shippedAlgorithms } from '../decisions/shipped.ts';
import { labErrors } from '../lab/error-codes.ts';
import type { AlgorithmSource, Budget } from '../lab/simulate.ts';

const defaultBudgets = ['1%', '2%', '5%', '10%', '20%', '50%'];

/** Budgets as given, or the usual ladder. */
export function budgetsOf(texts: readonly string[]): Budget[] {
  return (texts.length > 0 ? texts : defaultBudgets).map((text) => {
    const share = parsePercent(text);
    if (share !== undefined) return { share };
    const bytes = parseBytes(text);
    if (bytes === undefined) throw labErrors.LAB_BAD_BUDGET(text);
    return { bytes };
  });
}

/** Algorithms as given, or all that are shipped; files and packages are looked up from the current folder. */
export function algorithmsOf(names: readonly string[]): AlgorithmSource[] {
  const wanted = names.length > 0 ? names : Object.keys(shippedAlgorithms);
  return wanted.map((name) => ({
    name,
    module: name === 'random' ? 'lab:random' : resolveAlgorithm(name, process.cwd()),
  }));
}

/** Parameters of a family from `NAME=VALUE` and WfFormat files; a value that is not JSON is a text. */
export function parametersOf(assignments: readonly string[], instances: readonly string[]): JsonObject {
  const parameters: Record<string, Json> = {};
  for (const text of assignments) {
    const at = text.indexOf('=');
    if (at <= 0) throw labErrors.LAB_BAD_ASSIGNMENT(text);
    parameters[text.slice(0, at)] = jsonOrText(text.slice(at + 1));
  }
  return instances.length > 0 ? { ...parameters, instances } : parameters;
}

function jsonOrText(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}

// Finds and loads a user's decision algorithm: a file by its path, or an npm package by its name, seen from the folder of
// the configuration.
import { existsSync, readFileSync } from 'node:fs';
import { createRequire, findPackageJSON } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { isObject, type Json, type JsonObject } from '../core/json.ts';
import type { DecisionAlgorithm } from '../core/ports/decision-algorithm.ts';
import { decisionErrors } from './error-codes.ts';
import { shippedAlgorithms, shippedModule } from './shipped.ts';

/** URL of the module behind a name in the configuration; `folder` is where relative names start. */
export function resolveAlgorithm(name: string, folder: string): string {
  const shipped = shippedModule(name);
  if (shipped) return shipped;
  const found = isPath(name) ? fileOf(resolve(folder, name)) : packageEntry(name, folder);
  if (!found) throw decisionErrors.DECISION_PLUGIN_MISSING(name, folder, Object.keys(shippedAlgorithms));
  return pathToFileURL(found).href;
}

/** Loads the module and checks that its default export can be asked for decisions. */
export async function loadAlgorithm(module: string): Promise<DecisionAlgorithm> {
  let loaded: { readonly default?: unknown };
  try {
    loaded = await import(module);
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    throw decisionErrors.DECISION_PLUGIN_SHAPE.with({ cause: error }, module, problem);
  }
  const problem = shapeProblem(loaded.default);
  if (problem) throw decisionErrors.DECISION_PLUGIN_SHAPE(module, problem);
  return loaded.default as DecisionAlgorithm;
}

/** What keeps a value from being a decision algorithm. */
export function shapeProblem(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return 'it has no default export that is an object';
  const given = value as Record<string, unknown>;
  if (typeof given.name !== 'string' || given.name === '') return '"name" must be a string';
  if (typeof given.reason !== 'string') return '"reason" must be a string';
  if (typeof given.decide !== 'function') return '"decide" must be a function';
  for (const key of ['init', 'observe']) {
    if (given[key] !== undefined && typeof given[key] !== 'function') return `"${key}" must be a function`;
  }
  return undefined;
}

function isPath(name: string): boolean {
  return /^(\.{0,2}\/|[A-Za-z]:[\\/])/.test(name) || /\.(js|mjs|cjs|ts|mts)$/.test(name);
}

function fileOf(path: string): string | undefined {
  return existsSync(path) ? path : undefined;
}

function packageEntry(name: string, folder: string): string | undefined {
  const from = join(folder, 'package.json');
  try {
    return createRequire(from).resolve(name);
  } catch {
    // Packages that can only be imported have no entry for require: take it from their own description.
    return importEntry(name, from);
  }
}

function importEntry(name: string, from: string): string | undefined {
  let description: string | undefined;
  try {
    description = findPackageJSON(name, from);
  } catch {
    return undefined;
  }
  if (!description) return undefined;
  const { exports } = JSON.parse(readFileSync(description, 'utf8')) as JsonObject;
  const target = importTarget(isObject(exports) && exports['.'] !== undefined ? exports['.'] : exports);
  return target === undefined ? undefined : fileOf(resolve(dirname(description), target));
}

/** The path under the first condition that an import satisfies. */
function importTarget(entry: Json | undefined): string | undefined {
  if (typeof entry === 'string') return entry;
  if (!isObject(entry)) return undefined;
  for (const [condition, target] of Object.entries(entry)) {
    if (!['node', 'import', 'default'].includes(condition)) continue;
    const found = importTarget(target);
    if (found !== undefined) return found;
  }
  return undefined;
}

// InitialWorkDirRequirement: which files and directories are in the output directory before the command starts. Inputs that are
// put there are seen there by the command, so the job's paths follow.
import { posix } from 'node:path';
import { isList, isObject, type Json, type JsonObject } from '../../../core/json.ts';
import { cwlErrors } from '../error-codes.ts';
import { type Evaluator, type ExpressionContext, interpolated } from '../expressions/evaluator.ts';
import type { InitialEntry, InitialWorkDir } from '../model/requirement.ts';
import { type CwlPath, isFile, isPath, mapPaths, mapPathTree } from '../values/file-object.ts';
import { completePath } from '../values/local-files.ts';
import { Stage, type StagedJob } from './stage-plan.ts';

export interface WorkDirRules {
  readonly evaluator: Evaluator;
  readonly context: ExpressionContext;
  readonly outdir: string;
  /** Absolute entry names are possible only inside a required container. */
  readonly absoluteNames: boolean;
}

interface WorkDirItem {
  readonly path: CwlPath;
  readonly name?: string | undefined;
  readonly writable: boolean;
}

/** The entries that the requirement asks for, and the job as the command sees it. */
export function planInitialWorkDir(
  requirement: InitialWorkDir,
  staged: StagedJob,
  rules: WorkDirRules,
): StagedJob {
  const items = requirement.listing.flatMap((entry) => itemsOf(entry, rules));
  const stage = new Stage();
  const moved = new Map<string, CwlPath>();
  for (const item of items) {
    const name = item.name ?? item.path.basename;
    if (name === undefined)
      throw cwlErrors.CWL_STAGING('an entry of the initial working directory has no name');
    const target = targetOf(name, rules);
    const placed = stage.place(item.path, posix.dirname(target), item.writable, posix.basename(target));
    if (item.path.path !== undefined) moved.set(item.path.path, placed);
  }
  if (moved.size === 0) return { job: staged.job, entries: [...staged.entries, ...stage.entries] };
  const gone = new Set(moved.keys());
  const job = mapPaths(staged.job, (path) => follow(path, moved) as Json) as JsonObject;
  const others = staged.entries.filter(
    ({ target }) => ![...gone].some((from) => target === from || target.startsWith(`${from}/`)),
  );
  return { job, entries: [...others, ...stage.entries] };
}

function targetOf(name: string, rules: WorkDirRules): string {
  if (name.startsWith('/')) {
    if (rules.absoluteNames) return posix.normalize(name);
    throw cwlErrors.CWL_STAGING(`the entry name ${name} is absolute, which only a required container allows`);
  }
  const target = posix.join(rules.outdir, name);
  if (target !== rules.outdir && !target.startsWith(`${rules.outdir}/`))
    throw cwlErrors.CWL_STAGING(`the entry name ${name} leads out of the output directory`);
  return target;
}

/** The same file, at the path where it was put. */
function follow(path: CwlPath, moved: ReadonlyMap<string, CwlPath>): CwlPath {
  return mapPathTree(path, (one) => {
    const placed = one.path === undefined ? undefined : moved.get(one.path);
    if (placed === undefined) return one;
    if (!isFile(one)) return placed;
    const { secondaryFiles: _own, ...rest } = placed as typeof one;
    return one.secondaryFiles === undefined ? rest : { ...rest, secondaryFiles: one.secondaryFiles };
  });
}

function itemsOf(entry: InitialEntry, rules: WorkDirRules): WorkDirItem[] {
  if ('literal' in entry) return pathsOf(entry.literal, 'listing').map((path) => ({ path, writable: false }));
  if ('expression' in entry) {
    const value = rules.evaluator.evaluate(entry.expression, rules.context);
    return (isList(value) ? value : [value]).flatMap((one) => evaluatedItem(one, entry.expression, rules));
  }
  return direntItems(entry.entry, entry.entryname, entry.writable, rules);
}

function evaluatedItem(value: Json, expression: string, rules: WorkDirRules): WorkDirItem[] {
  if (value === null) return [];
  if (isObject(value) && 'entry' in value) {
    const name = typeof value.entryname === 'string' ? value.entryname : undefined;
    return direntValue(value.entry!, name, value.writable === true);
  }
  if (isList(value)) return value.flatMap((one) => evaluatedItem(one, expression, rules));
  return pathsOf(value, expression).map((path) => ({ path, writable: false }));
}

function direntItems(
  entry: string,
  entryname: string | undefined,
  writable: boolean,
  rules: WorkDirRules,
): WorkDirItem[] {
  const value = rules.evaluator.evaluate(entry, rules.context, { keepSpace: true });
  const name = entryname === undefined ? undefined : rules.evaluator.evaluate(entryname, rules.context);
  if (name !== undefined && name !== null && typeof name !== 'string')
    throw cwlErrors.CWL_STAGING(`entryname must be a text, not ${JSON.stringify(name)}`);
  return direntValue(value, name ?? undefined, writable);
}

function direntValue(value: Json, name: string | undefined, writable: boolean): WorkDirItem[] {
  if (value === null) return [];
  if (isPath(value)) return [{ path: completed(value), name, writable }];
  if (isList(value) && value.length > 0 && value.every((one) => isPath(one))) {
    if (name !== undefined) throw cwlErrors.CWL_STAGING(`entryname "${name}" cannot name a list of files`);
    return value.map((one) => ({ path: completed(one as CwlPath), writable }));
  }
  if (name === undefined) throw cwlErrors.CWL_STAGING('an entry with text needs an entryname');
  return [{ path: { class: 'File', contents: interpolated(value) }, name, writable }];
}

function pathsOf(value: Json, what: string): CwlPath[] {
  const values = isList(value) ? value : [value];
  return values.map((one) => {
    if (!isPath(one))
      throw cwlErrors.CWL_STAGING(`${what} must give files and directories, not ${JSON.stringify(one)}`);
    return completed(one);
  });
}

function completed(path: CwlPath): CwlPath {
  return mapPathTree(path, (one) => (one.path === undefined ? completePath(one) : one));
}

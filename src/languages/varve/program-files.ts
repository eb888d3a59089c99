// Program files: files beside the document that a command names. They are part of identity by relative name and content,
// and appear at the same relative path in the working directory. Programs of the system's PATH are not looked at.
import { posix, resolve } from 'node:path';
import { isList, type Json } from '../../core/json.ts';
import { languageErrors } from './error-codes.ts';
import { fileSpec } from './given-input.ts';
import type { FileSpec } from './input-spec.ts';
import { wholeParameter } from './lower-template.ts';
import type { CheckedAction, LoweringContext } from './lowering-context.ts';
import type { NameSet } from './name-set.ts';
import type { DocumentPath } from './problems.ts';

const shellWord = /[^\s;|&()<>"'`$=]+/g;

const none: readonly string[] = [];

/** Names, relative to the document's folder, of what the command may mean as files there. */
function programCandidates(action: CheckedAction, context: LoweringContext): readonly string[] {
  if (context.neighbours.size === 0) return none;
  let found: Set<string> | undefined;
  for (const word of commandWords(action.command as Json, context)) {
    const name = innerName(word, context.neighbours);
    if (name !== undefined) (found ??= new Set()).add(name);
  }
  return found === undefined ? none : [...found];
}

/** The first word of a list is looked up in PATH unless it has a slash, exactly as a shell does it. */
function commandWords(command: Json, context: LoweringContext): readonly string[] {
  if (typeof command === 'string') return command.match(shellWord) ?? [];
  if (!isList(command)) return [];
  return command.flatMap((item, index) => {
    if (typeof item !== 'string') return [];
    const parameter = wholeParameter(item, context);
    const word = parameter?.is === 'scalar' ? String(parameter.value) : item;
    return index === 0 && !word.includes('/') ? [] : [word];
  });
}

function innerName(word: string, neighbours: NameSet): string | undefined {
  const slash = word.indexOf('/');
  const first = slash < 0 ? word : word.slice(0, slash);
  if (first === '' || (first !== '.' && !neighbours.has(first))) return undefined;
  const name = posix.normalize(word);
  if (name === '.' || name.startsWith('..') || name.endsWith('/')) return undefined;
  return neighbours.has(name.split('/')[0]!) ? name : undefined;
}

/** Wishes for the digests of everything that may be a program file of the action. */
export function wantPrograms(action: CheckedAction, context: LoweringContext): void {
  const candidates = programCandidates(action, context);
  if (candidates.length > 0) context.programs.set(action, candidates);
  for (const name of candidates) context.files.wantPath(resolve(context.folder, name));
  for (const name of action.programs ?? []) context.files.wantPath(resolve(context.folder, name));
}

const noPrograms: readonly FileSpec[] = [];

/** The program files of an action in the order of their names; problems are noted for declared ones that are missing. */
export function lowerPrograms(
  action: CheckedAction,
  path: DocumentPath,
  context: LoweringContext,
): readonly FileSpec[] {
  const candidates = context.programs.get(action);
  if (candidates === undefined && action.programs === undefined) return noPrograms;
  const found = new Map<string, FileSpec>();
  for (const name of candidates ?? none) {
    const place = resolve(context.folder, name);
    const digest = context.files.digest(place);
    if (digest?.kind === 'file') found.set(name, fileSpec(name, place, digest));
  }
  for (const [index, written] of (action.programs ?? []).entries()) {
    const name = posix.normalize(written).replace(/\/$/, '');
    const place = resolve(context.folder, name);
    const digest = context.files.digest(resolve(context.folder, written));
    if (digest?.kind === 'file') found.set(name, fileSpec(name, place, digest));
    else if (digest !== undefined) found.set(name, { ...fileSpec(name, place, digest), directory: true });
    else {
      const { problems } = context;
      const inner = { parent: { parent: path, key: 'programs' }, key: index };
      problems.add(inner, 'value', (at) =>
        languageErrors.FILE_MISSING.with({ place: at }, problems.where(inner), written, 'does not exist'),
      );
    }
  }
  return [...found.keys()].sort().map((name) => found.get(name)!);
}

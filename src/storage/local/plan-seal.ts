// What must change in an output tree before it can be published, as a plan: links that would break or reach out, and files
// that can be written to under a name elsewhere. Everything that cannot be made safe is a problem; all are found at once.
import type { VarveError } from '../../core/errors.ts';
import { storageErrors } from '../error-codes.ts';
import { insideRemainder, parentOf, resolveLink } from './resolve-link.ts';
import type { ScannedEntry } from './scan-tree.ts';

export type SealStep =
  /** An absolute link into the tree gets a relative text, because the tree moves. */
  | { readonly do: 'relink'; readonly path: string; readonly target: string }
  /** A link to a published dataset (shared: hard links) or an input (copied) becomes what it points to. */
  | { readonly do: 'dereference'; readonly path: string; readonly source: string; readonly share: boolean }
  /** A file that has names outside the tree becomes a copy, so that nobody changes it through them. */
  | { readonly do: 'unshare'; readonly path: string };

export interface SealFacts {
  readonly entries: readonly ScannedEntry[];
  /** The absolute names of the tree's root. */
  readonly roots: readonly string[];
  /** Real path of the folder of published datasets. */
  readonly datasets: string;
  /** Real paths to which links may point from anywhere. */
  readonly inputs: readonly string[];
  /** Files that share their bytes with published datasets, as `identityOf` names them. */
  readonly sharedSafely: ReadonlySet<string>;
  /** Device and inode of an entry; asked only for files with several names. */
  identityOf(path: string): string;
  /** Real path of what a link leads to, undefined when nothing is there; asked only for links that leave the tree. */
  realTargetOf(path: string): string | undefined;
}

export interface SealPlan {
  readonly steps: readonly SealStep[];
  readonly problems: readonly VarveError[];
}

export function planSeal(facts: SealFacts): SealPlan {
  const steps: SealStep[] = [];
  const problems: VarveError[] = [];
  const severalNames: ScannedEntry[] = [];
  let byPath: Map<string, ScannedEntry> | undefined;
  for (const entry of facts.entries) {
    if (entry.kind === 'special') problems.push(storageErrors.OUTPUT_SPECIAL_FILE(entry.path));
    else if (entry.kind === 'file' && entry.linkCount > 1) severalNames.push(entry);
    else if (entry.kind === 'symlink') {
      byPath ??= new Map(facts.entries.map((each) => [each.path, each]));
      const step = planLink(facts, byPath, entry);
      if (step === 'refused') problems.push(storageErrors.OUTPUT_LINK_OUTSIDE(entry.path, entry.target));
      else if (step) steps.push(step);
    }
  }
  for (const entry of namedElsewhere(facts, severalNames)) steps.push({ do: 'unshare', path: entry.path });
  return { steps, problems };
}

function planLink(
  facts: SealFacts,
  byPath: ReadonlyMap<string, ScannedEntry>,
  link: ScannedEntry,
): SealStep | 'refused' | undefined {
  const { path } = link;
  const remainder = insideRemainder(link.target, facts.roots);
  if (resolveLink(byPath, link, facts.roots) === 'inside')
    return remainder === undefined
      ? undefined
      : { do: 'relink', path, target: relativeText(path, remainder) };
  const source = facts.realTargetOf(path);
  if (source === undefined) return 'refused';
  const roundabout = insideRemainder(source, facts.roots);
  if (roundabout !== undefined) return { do: 'relink', path, target: relativeText(path, roundabout) };
  if (isInDataset(source, facts.datasets)) return { do: 'dereference', path, source, share: true };
  if (insideRemainder(source, facts.inputs) !== undefined)
    return { do: 'dereference', path, source, share: false };
  return 'refused';
}

function isInDataset(source: string, datasets: string): boolean {
  const remainder = insideRemainder(source, [datasets]);
  return remainder !== undefined && remainder.split('/').length >= 2;
}

/** Files of which not all names are in the tree. */
function* namedElsewhere(facts: SealFacts, files: readonly ScannedEntry[]): Iterable<ScannedEntry> {
  if (files.length === 0) return;
  const byIdentity = Map.groupBy(files, (file) => facts.identityOf(file.path));
  for (const [identity, names] of byIdentity)
    if (names.length < names[0]!.linkCount && !facts.sharedSafely.has(identity)) yield* names;
}

/** The text with which a link at `path` reaches `target`, both relative to the tree's root. */
function relativeText(path: string, target: string): string {
  const from = parentOf(path).split('/').filter(Boolean);
  const to = target.split('/').filter((part) => part !== '' && part !== '.');
  let common = 0;
  while (common < from.length && common < to.length && from[common] === to[common] && to[common] !== '..')
    common += 1;
  const text = [...from.slice(common).map(() => '..'), ...to.slice(common)].join('/');
  return text === '' ? '.' : text;
}

// Collects everything that is wrong with a document, so that one validation shows all of it, and what is merely odd.
import { type SourcePlace, type VarveError, VarveError as VarveErrorClass } from '../../../core/errors.ts';
import { cwlErrors } from '../error-codes.ts';
import type { CwlVersion } from '../model/process.ts';

export interface ExpressionField {
  readonly text: string;
  readonly version: CwlVersion;
  readonly place: SourcePlace;
}

export class Problems {
  readonly errors: VarveError[] = [];
  readonly warnings: VarveError[] = [];
  /** Fields with expressions, for those who want to check the scripts in them too. */
  readonly expressions: ExpressionField[] = [];
  private readonly seen = new Set<string>();

  add(error: VarveError): void {
    if (this.isNew(error)) this.errors.push(error);
  }

  /** Runs a step that may throw; its error, or each of its several, is collected like the others. */
  collect<T>(step: () => T): T | undefined {
    try {
      return step();
    } catch (error) {
      if (!(error instanceof VarveErrorClass)) throw error;
      for (const one of error.problems.length > 0 ? error.problems : [error]) this.add(one);
      return undefined;
    }
  }

  warn(error: VarveError): void {
    if (this.isNew(error)) this.warnings.push(error);
  }

  /** One tool used by many steps is built once per place it is used: its problems are said once. */
  private isNew(error: VarveError): boolean {
    const { place } = error;
    const key = `${place?.file}:${place?.line}:${place?.column}:${error.code}:${error.message}`;
    if (this.seen.has(key)) return false;
    this.seen.add(key);
    return true;
  }

  /** Throws when there is an error: the error itself if it is the only one, else one that holds them all. */
  throwIfAny(): void {
    const { errors } = this;
    if (errors.length === 0) return;
    if (errors.length === 1) throw errors[0]!;
    const unsupported = errors.every((error) => error.kind === 'unsupported');
    const summary = unsupported ? cwlErrors.CWL_UNSUPPORTED_DOCUMENT : cwlErrors.CWL_INVALID;
    throw summary.with({ problems: errors }, errors.length);
  }
}

/** The candidate that a misspelt name most likely means, or undefined when none is near. */
export function didYouMean(name: string, candidates: Iterable<string>): string | undefined {
  let best: string | undefined;
  let bestDistance = Math.max(1, Math.floor(name.length / 3)) + 1;
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - name.length) >= bestDistance) continue;
    const distance =
      candidate.toLowerCase() === name.toLowerCase() ? 0 : editDistance(name, candidate, bestDistance);
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/** A hint that names the near candidate, or lists the few that there are. */
export function nameHint(name: string, candidates: readonly string[]): string | undefined {
  const near = didYouMean(name, candidates);
  if (near !== undefined) return `did you mean "${near}"?`;
  if (candidates.length === 0) return undefined;
  return candidates.length <= 20 ? `one of: ${[...candidates].sort().join(', ')}` : undefined;
}

function editDistance(a: string, b: string, limit: number): number {
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = previous[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      row.push(Math.min(replaced, previous[j]! + 1, row[j - 1]! + 1));
    }
    if (Math.min(...row) >= limit) return limit;
    previous = row;
  }
  return previous[b.length]!;
}

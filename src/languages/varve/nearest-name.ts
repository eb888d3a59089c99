// Hints for names that do not exist: the likely meaning or, failing that, what there is.
import { closest } from '../../core/closest.ts';

/** A hint that names the likely meaning, if there is one, and otherwise what exists. */
export function hintFromNames(name: string, known: readonly string[], what: string): string {
  const nearest = closest(name, known);
  if (nearest !== undefined) return `did you mean ${JSON.stringify(nearest)}?`;
  if (known.length === 0) return `there are no ${what}`;
  const shown = known.slice(0, 40);
  return `the ${what} are: ${shown.join(', ')}${known.length > shown.length ? ', …' : ''}`;
}

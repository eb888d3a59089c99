// "Did you mean": the known name that is nearest to a misspelt one.

/** The closest of `known` by edit distance, or undefined when none is close enough to be a likely slip. */
export function nearestName(name: string, known: Iterable<string>): string | undefined {
  const allowed = Math.max(1, Math.floor(name.length / 3));
  let best: string | undefined;
  let bestDistance = allowed + 1;
  for (const candidate of known) {
    if (Math.abs(candidate.length - name.length) >= bestDistance) continue;
    const distance = editDistance(name.toLowerCase(), candidate.toLowerCase());
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/** Optimal string alignment distance: insertions, deletions, replacements and swaps of neighbours count one each. */
export function editDistance(a: string, b: string): number {
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i += 1) {
    const current = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      let least = Math.min(previous[j]! + 1, current[j - 1]! + 1, previous[j - 1]! + cost);
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      if (swapped) least = Math.min(least, beforePrevious[j - 2]! + 1);
      current.push(least);
    }
    beforePrevious = previous;
    previous = current;
  }
  return previous[b.length]!;
}

/** A hint that names the likely meaning, if there is one, and otherwise what exists. */
export function hintFromNames(name: string, known: readonly string[], what: string): string {
  const nearest = nearestName(name, known);
  if (nearest !== undefined) return `did you mean ${JSON.stringify(nearest)}?`;
  if (known.length === 0) return `there are no ${what}`;
  const shown = known.slice(0, 40);
  return `the ${what} are: ${shown.join(', ')}${known.length > shown.length ? ', …' : ''}`;
}

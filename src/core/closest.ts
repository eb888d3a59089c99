// The nearest known word to a mistyped one, for `did you mean` in every message that refuses a name.

/** The candidate that the user most likely meant, or undefined when nothing is near enough. */
export function closest(word: string, candidates: Iterable<string>): string | undefined {
  const wanted = word.toLowerCase();
  let best: string | undefined;
  let bestDistance = Math.max(1, Math.floor(wanted.length / 3)) + 1;
  for (const candidate of candidates) {
    const distance = editDistance(wanted, candidate.toLowerCase(), bestDistance);
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/** A hint sentence for `closest`, or undefined. */
export function didYouMean(word: string, candidates: Iterable<string>): string | undefined {
  const best = closest(word, candidates);
  return best === undefined ? undefined : `did you mean ${best}?`;
}

/** Insertions, deletions, replacements and swaps of neighbours between two words; at least `limit` when it is that many or more. */
function editDistance(from: string, to: string, limit: number): number {
  if (Math.abs(from.length - to.length) >= limit) return limit;
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, j) => j);
  for (let i = 1; i <= from.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= to.length; j += 1) {
      const replace = last[j - 1]! + (from[i - 1] === to[j - 1] ? 0 : 1);
      let cost = Math.min(last[j]! + 1, row[j - 1]! + 1, replace);
      const swapped = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1];
      if (swapped) cost = Math.min(cost, beforeLast[j - 2]! + 1);
      row.push(cost);
    }
    beforeLast = last;
    last = row;
  }
  return last[to.length]!;
}

// A job names paths of the server's machine. On another machine they lie elsewhere: every mention of them, in arguments, variables and
// links, is put in terms of this machine.

export type PathPair = readonly [from: string, to: string];

/** Replaces every mention of a `from`, or of something below it, in a text; the longest that fits counts. */
export function pathMap(pairs: readonly PathPair[]): (text: string) => string {
  if (pairs.length === 0) return (text) => text;
  const targets = new Map(pairs);
  const longestFirst = [...targets.keys()].sort((a, b) => b.length - a.length);
  // `/mnt/data/x` does not mention `/data/x`, but `-I/data/x` does; `/data/x1` and `/data/x.gz` do not.
  const mention = new RegExp(
    `(?<!/[\\w.-]+)(?:${longestFirst.map(escaped).join('|')})(?![\\w-]|\\.\\w)`,
    'g',
  );
  return (text) => text.replace(mention, (path) => targets.get(path) ?? path);
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}

// A list of fixed words as SQL literals. Only for words that stand in the source code, never for input.

export function words(list: readonly string[]): string {
  return list.map((word) => `'${word}'`).join(', ');
}

// "The column is one of these words" as SQL. Written as a chain of comparisons because SQLite builds a temporary table for a longer
// `in` list each time a statement, a check or the condition of a partial index is evaluated. Only for words of the source
// code, never for input. Queries and the indexes meant for them use the same function, so that their conditions match.

export function oneOf(column: string, words: readonly string[]): string {
  return `(${words.map((word) => `${column} = '${word}'`).join(' or ')})`;
}

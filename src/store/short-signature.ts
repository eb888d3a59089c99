// Signatures are indexed by their beginning: indexes of whole ones would be most of a large store. A query names the beginning, which the
// index knows, and the whole is compared in the row.

const length = 20;

/** What the indexes hold of a signature in this column, as SQL. */
export function shortSignature(column: string): string {
  return `substr(${column}, 1, ${length})`;
}

/** What the indexes hold of this signature. */
export function shorten(signature: string): string {
  return signature.slice(0, length);
}

/** A condition: two columns hold the same signature; the index of the first is used. */
export function sameSignature(indexed: string, other: string): string {
  return `${shortSignature(indexed)} = ${shortSignature(other)} and ${indexed} = ${other}`;
}

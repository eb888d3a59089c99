// Turns the values of a row into an object. node:sqlite's own objects are dictionaries: twice the memory, and every look at a field
// is a search. A function compiled for the column names gives all rows of a statement one shape.

export type RowMaker = (values: readonly unknown[]) => unknown;

/** The names come from the statements of this program, never from input. */
export function rowMaker(names: readonly string[]): RowMaker {
  const fields = names.map((name, i) => `${JSON.stringify(name)}: values[${i}]`);
  return new Function('values', `return { ${fields.join(', ')} };`) as RowMaker;
}

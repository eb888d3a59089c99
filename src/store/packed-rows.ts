// Many rows of a few whole numbers as one text. A row as an object costs a driver a microsecond and a hundred bytes; a hundred thousand
// of them, looked at for every decision, would cost more than the decision.
import type { Param, Session } from './database.ts';

const zero = 48;

/** The numbers of all rows in turn; each row of the statement is one text `packed`, of numbers that are not negative and single spaces. */
export async function packedRows(
  session: Session,
  sql: string,
  params: readonly Param[],
): Promise<Float64Array> {
  const [row] = await session.all<{ packed: string | null }>(
    `select string_agg(packed, ' ') as packed from (${sql}) as packed_row`,
    params,
  );
  return numbersIn(row?.packed ?? '');
}

/** One column of rows that are `width` numbers each. */
export function columnOf(numbers: Float64Array, width: number, column: number): Float64Array {
  const values = new Float64Array(numbers.length / width);
  for (let i = 0; i < values.length; i += 1) values[i] = numbers[i * width + column]!;
  return values;
}

function numbersIn(text: string): Float64Array {
  if (text === '') return new Float64Array(0);
  let count = 1;
  for (let i = 0; i < text.length; i += 1) if (text.charCodeAt(i) < zero) count += 1;
  const numbers = new Float64Array(count);
  let at = 0;
  let value = 0;
  for (let i = 0; i < text.length; i += 1) {
    const digit = text.charCodeAt(i) - zero;
    if (digit >= 0) value = value * 10 + digit;
    else {
      numbers[at++] = value;
      value = 0;
    }
  }
  numbers[at] = value;
  return numbers;
}

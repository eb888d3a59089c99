// Plain data with large columns of numbers as bytes, and back without copying the columns: a header in JSON that refers to columns by
// their place, then the columns as they lie in memory. What was packed on one kind of machine is unpacked on the same kind only, which
// is enough for what can be made again.

const columnTypes = { Uint8Array, Int32Array, Uint32Array, Float64Array };
type ColumnType = keyof typeof columnTypes;
type Column = InstanceType<(typeof columnTypes)[ColumnType]>;

const magic = 0x7661_7276;
const prefixBytes = 16;
/** The widest number decides. */
const alignment = 8;

/** The parts to be written one after the other; they show the columns and are valid until those change. Throws on what is no plain data. */
export function packData(value: unknown): Uint8Array[] {
  const columns: Uint8Array[] = [];
  let end = 0;
  const put = (column: Column): unknown => {
    const at = end;
    columns.push(bytesOf(column), new Uint8Array(padding(column.byteLength)));
    end += column.byteLength + padding(column.byteLength);
    return { $column: [column.constructor.name, at, column.length] };
  };
  const header = new TextEncoder().encode(JSON.stringify(plain(value, put)));
  const prefix = new Uint32Array([magic, header.length, end, 0]);
  return [bytesOf(prefix), header, new Uint8Array(padding(header.length)), ...columns];
}

/** What `packData` was given; its columns show these bytes. Throws when the bytes are not whole. */
export function unpackData(bytes: Uint8Array): unknown {
  const aligned = bytes.byteOffset % alignment === 0 ? bytes : new Uint8Array(bytes);
  if (aligned.length < prefixBytes) throw new RangeError('too short');
  const [mark, headerLength, columnsLength] = new Uint32Array(aligned.buffer, aligned.byteOffset, 4);
  const start = prefixBytes + headerLength! + padding(headerLength!);
  if (mark !== magic || start + columnsLength! !== aligned.length) throw new RangeError('not whole');
  const header = new TextDecoder().decode(aligned.subarray(prefixBytes, prefixBytes + headerLength!));
  return JSON.parse(header, (_, found: unknown) => revived(found, aligned, start));
}

/** All parts as one. */
export function joinParts(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

function plain(value: unknown, put: (column: Column) => unknown): unknown {
  if (typeof value === 'number' && !Number.isFinite(value)) return { $number: String(value) };
  if (value === null || ['string', 'number', 'boolean', 'undefined'].includes(typeof value)) return value;
  if (isColumn(value)) return put(value);
  if (Array.isArray(value)) return value.map((item) => plain(item, put));
  if (Object.getPrototypeOf(value) !== Object.prototype) throw new TypeError('not plain data');
  return Object.fromEntries(Object.entries(value as object).map(([key, item]) => [key, plain(item, put)]));
}

function revived(found: unknown, bytes: Uint8Array, start: number): unknown {
  if (typeof found !== 'object' || found === null) return found;
  if ('$number' in found) return Number(found.$number);
  if (!('$column' in found)) return found;
  const [type, at, length] = found.$column as [ColumnType, number, number];
  return new columnTypes[type](bytes.buffer as ArrayBuffer, bytes.byteOffset + start + at, length);
}

function isColumn(value: unknown): value is Column {
  return Object.values(columnTypes).some((type) => value instanceof type);
}

function bytesOf(column: Column): Uint8Array {
  return new Uint8Array(column.buffer, column.byteOffset, column.byteLength);
}

function padding(length: number): number {
  return (alignment - (length % alignment)) % alignment;
}

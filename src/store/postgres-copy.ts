// Bulk insert by PostgreSQL's COPY: three times as fast as sending arrays, for what fits neither `on conflict` nor a few rows. The rows
// travel with the statement: a server that refuses it passes over them, as the protocol demands.
import pg from 'pg';
import type { Value } from './database.ts';

/** The part of the driver's connection that COPY needs; its own types leave it out. */
interface CopyConnection {
  sendCopyFromChunk(chunk: Buffer): void;
  endCopyFrom(): void;
}

class CopyQuery extends pg.Query {
  constructor(text: string, data: Buffer, done: (error: Error | null | undefined) => void) {
    super(text, done);
    const { submit } = this;
    this.submit = (connection) => {
      submit.call(this, connection);
      const wire = connection as unknown as CopyConnection;
      wire.sendCopyFromChunk(data);
      wire.endCopyFrom();
    };
  }

  /** Called by the driver once the server is ready to take rows, which are on their way already. */
  handleCopyInResponse(): void {}
}

/** Inserts the rows into the columns; throws what the driver throws. */
export function copyRows(
  client: pg.PoolClient,
  table: string,
  columns: readonly string[],
  rows: readonly (readonly Value[])[],
): Promise<void> {
  return new Promise((resolve, reject) => {
    const text = `copy ${table} (${columns.join(', ')}) from stdin`;
    client.query(new CopyQuery(text, copyText(rows), (error) => (error ? reject(error) : resolve())));
  });
}

const special = /[\\\t\n\r]/g;
const escapes: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };

/** Rows in COPY's text format. */
export function copyText(rows: readonly (readonly Value[])[]): Buffer {
  let text = '';
  for (const row of rows) {
    for (let i = 0; i < row.length; i++) {
      const value = row[i] as Value;
      if (i > 0) text += '\t';
      if (value === null) text += '\\N';
      else if (typeof value === 'number') text += value;
      else text += value.replace(special, (character) => escapes[character] as string);
    }
    text += '\n';
  }
  return Buffer.from(text);
}

// Brings a database to the schema that this program knows: numbered migrations, each in one transaction, safe when several
// processes start at once, refused when the store is newer than the program.
import type { Database, Session } from './database.ts';
import { storeErrors } from './error-codes.ts';
import { migrations } from './migrations/all.ts';

const known = migrations.at(-1)?.number ?? 0;

/** Applies what is missing up to a level, the newest unless told otherwise; returns the numbers of the migrations applied. */
export async function migrate(
  database: Database,
  where: string,
  now: number,
  wanted: number = known,
): Promise<number[]> {
  if ((await readLevel(database.reader, where)) >= wanted) return [];
  return database.exclusively('migrate', () =>
    database.transaction(
      async (session) => {
        await session.all(
          `create table if not exists schema_migration (
            number ${database.dialect.types.key},
            name ${database.dialect.types.text} not null,
            breaking ${database.dialect.types.int} not null,
            applied_at ${database.dialect.types.int} not null
          )`,
        );
        const level = await readLevel(session, where);
        const applied: number[] = [];
        for (const migration of migrations) {
          if (migration.number <= level || migration.number > wanted) continue;
          for (const statement of migration.statements(database.dialect)) await session.all(statement);
          await session.all(
            'insert into schema_migration (number, name, breaking, applied_at) values ($1, $2, $3, $4)',
            [migration.number, migration.name, migration.breaking ? 1 : 0, now],
          );
          applied.push(migration.number);
        }
        return applied;
      },
      // The tables with which a lost commit is found out come with the first migration.
      { durable: true, repeatable: true },
    ),
  );
}

/** The highest migration that the store has; one that this program does not know is refused. */
export async function readLevel(session: Session, where: string): Promise<number> {
  const exists =
    session.dialect.name === 'sqlite'
      ? "select 1 from sqlite_master where name = 'schema_migration'"
      : "select 1 from information_schema.tables where table_name = 'schema_migration' and table_schema = current_schema()";
  if ((await session.all(exists)).length === 0) return 0;
  const [row] = await session.all<{ number: number | null }>(
    'select max(number) as number from schema_migration',
  );
  const level = row?.number ?? 0;
  if (level > known) throw storeErrors.STORE_NEWER(where, level, known);
  return level;
}

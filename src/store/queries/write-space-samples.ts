// Samples of the space in use: one a minute for two days, then one an hour.
import type { ListingWrites } from '../../core/ports/listing.ts';
import type { Session } from '../database.ts';

const minute = 60_000;
const hour = 60 * minute;
const keptFine = 48 * hour;

export function writeSpaceSamples(session: Session): ListingWrites {
  return {
    async putSpaceSample({ at, usedBytes, resultBytes, budgetBytes }) {
      const start = Math.floor(at / minute) * minute;
      await session.all(
        `insert into space_sample (at, used_bytes, result_bytes, budget_bytes) values ($1, $2, $3, $4)
          on conflict (at) do nothing`,
        [start, usedBytes, resultBytes, budgetBytes],
      );
      // Only what has just become old is looked at.
      const old = start - keptFine;
      await session.all(
        'delete from space_sample where at >= $1 and at < $2 and at % cast($3 as bigint) <> 0',
        [old - hour, old, hour],
      );
    },
  };
}

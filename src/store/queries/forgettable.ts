// Whether a row of a deleted dataset may go for good: nobody used it since a time, and nothing that is known leads to it. What was made
// from it needs it for its price and its provenance, so that whole branches are forgotten from their ends.
import { oneOf } from '../one-of.ts';
import { sameSignature } from '../short-signature.ts';

/** A condition on the row of `dataset` at hand; `since` is a parameter. */
export function forgettable(since: string): string {
  return [
    "dataset.state = 'DELETED'",
    `coalesce(dataset.deleted_at, dataset.created_at) < ${since}`,
    `coalesce(dataset.used_at, 0) < ${since}`,
    none('lineage where lineage.parent_id = dataset.id'),
    none(`edge where edge.dataset_id = dataset.id and ${oneOf('edge.state', ['WAITING', 'HELD'])}`),
    none('action where action.dataset_id = dataset.id'),
    none("dataset as twin where twin.id = dataset.same_as and twin.state <> 'DELETED'"),
    none(newer(0)),
    none(newer(1)),
  ].join(' and ');
}

function newer(current: 0 | 1): string {
  return `dataset as other where ${sameSignature('other.signature', 'dataset.signature')} and other.realm = dataset.realm
    and other.is_current = ${current} and other.id > dataset.id`;
}

/** No such row. Written as a value, which is looked up per row: PostgreSQL would read whole tables for a `not exists`. */
function none(rows: string): string {
  return `coalesce((select 1 from ${rows} limit 1), 0) = 0`;
}

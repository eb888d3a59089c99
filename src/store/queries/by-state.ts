// A page of rows in some states, in id order. The index on (state, id) gives each state in order, so the page is merged from one
// short list per state: rare states are found at once however many rows there are in others.

export interface PageQuery {
  readonly select: string;
  readonly table: string;
  readonly states: readonly string[];
  /** Conditions besides the state, joined by `and`. */
  readonly conditions: readonly string[];
  readonly order: 'asc' | 'desc';
  readonly limit: string;
}

export function byState({ select, table, states, conditions, order, limit }: PageQuery): string {
  const list = (state: string): string =>
    `select * from (select id from ${table} where ${[`state = '${state}'`, ...conditions].join(' and ')}
      order by id ${order} limit ${limit}) as of_${state.toLowerCase()}`;
  return `select ${select} from ${table} where id in (
      select id from (${states.map(list).join(' union all ')}) as candidates order by id ${order} limit ${limit})
    order by id ${order}`;
}

// A page of rows in some states, in id order. The index on (state, id) gives each state in order, so the page is merged from one
// short list per state: rare states are found at once however many rows there are in others.

export interface PageQuery {
  readonly select: string;
  readonly table: string;
  readonly states: readonly string[];
  /** Conditions besides the state, joined by `and`. */
  readonly conditions: readonly string[];
  /** Alternatives of which one holds for each row; each gives a list of its own per state. */
  readonly either?: readonly string[];
  readonly order: 'asc' | 'desc';
  readonly limit: string;
}

export function byState(query: PageQuery): string {
  const { select, table, order, limit } = query;
  return `select ${select} from ${table} where id in (${idsByState(query)} order by id ${order} limit ${limit})
    order by id ${order}`;
}

/** The candidates for the page, each list in order and no longer than the page. */
export function idsByState(query: Omit<PageQuery, 'select'>): string {
  const { table, states, conditions, either = [], order, limit } = query;
  const list = (conditions: readonly string[], i: number): string =>
    `select * from (select id from ${table} where ${conditions.join(' and ')}
      order by id ${order} limit ${limit}) as list_${i}`;
  const alternatives = either.length === 0 ? [[]] : either.map((one) => [one]);
  const lists = alternatives.flatMap((one) =>
    states.map((state) => [...one, `state = '${state}'`, ...conditions]),
  );
  return `select id from (${lists.map(list).join(' union all ')}) as candidates`;
}

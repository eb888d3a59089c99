// The invariants of the design as questions to the database. After every step of a simulation all answers must be empty. What cannot be
// asked in SQL (files, jobs, the journal's continuity) is looked at beside.
import type { ScriptedWorld } from '../../src/backends/scripted.ts';
import { type MachineName, machines } from '../../src/core/machines/all.ts';
import type { Machine } from '../../src/core/machines/machine.ts';
import type { MemoryStorage } from '../../src/storage/memory.ts';
import type { Database } from '../../src/store/database.ts';

export class Violation extends Error {
  override readonly name = 'Violation';
  readonly invariant: string;

  constructor(invariant: string, what: string) {
    super(`${invariant}: ${what}`);
    this.invariant = invariant;
  }
}

const live = "('WAITING', 'READY', 'PROCESSING', 'STAGING', 'SUBMITTED', 'RUNNING', 'DESTAGING')";
const begun = "('READY', 'PROCESSING', 'STAGING')";
const submitted = "('SUBMITTED', 'RUNNING', 'DESTAGING')";
const available = "('STORED', 'LEAF', 'STORED_TO_DELETE')";
const inFlight = "('TO_STORE', 'TO_LEAF', 'TO_DELETE')";

/** Each selects the offenders, with one column `what`. */
const questions: Readonly<Record<string, string>> = {
  'I6 an action that may begin has every input available and claimed': `
    select 'action ' || a.id || ' ' || a.state || ' has ' || e.slot || ' ' || e.state as what
    from action a join edge e on e.holder in ('action', 'join') and e.holder_id = a.id
    left join dataset d on d.id = e.dataset_id
    where a.state in ${begun} and e.state <> 'RELEASED' and (e.state <> 'HELD' or d.state not in ${available})`,
  'I2 nothing that is claimed is being deleted': `
    select 'dataset ' || d.id || ' ' || d.state || ' is claimed by ' || e.holder || ' ' || e.holder_id as what
    from dataset d join edge e on e.dataset_id = d.id and e.state in ('WAITING', 'HELD')
    where d.state in ('PROCESSING', 'DELETING')`,
  'I2 a consumer holds only what is there': `
    select 'action ' || e.holder_id || ' holds dataset ' || d.id || ' ' || d.state as what
    from edge e join dataset d on d.id = e.dataset_id
    where e.holder = 'action' and e.state = 'HELD' and d.state not in ${available}`,
  'I5 what is being computed has one live action that computes it': `
    select 'dataset ' || d.id || ' ' || d.state || ' of action ' || coalesce(d.producer_id, 'none') as what
    from dataset d where d.state in ${inFlight} and not exists (
      select 1 from action a where a.id = d.producer_id and a.dataset_id = d.id and a.state in ${live})`,
  'I7 who waits has something to wait for': `
    select 'action ' || a.id || ' waits for nothing' as what from action a
    where a.state = 'WAITING' and not exists (
      select 1 from edge e where e.holder in ('action', 'join') and e.holder_id = a.id and e.state = 'WAITING')`,
  'I7 what is waited for is being made': `
    select 'action ' || a.id || ' waits for dataset ' || d.id || ' ' || d.state as what
    from action a join edge e on e.holder in ('action', 'join') and e.holder_id = a.id and e.state = 'WAITING'
    join dataset d on d.id = e.dataset_id where a.state = 'WAITING' and d.state not in ${inFlight}`,
  'I7 growth that is waited for is coming': `
    select 'action ' || a.id || ' waits for the growth of ' || coalesce(p.id, 'nobody') as what
    from action a join edge e on e.holder = 'action' and e.holder_id = a.id and e.state = 'WAITING'
    left join action p on p.id = e.producer_id
    where a.state = 'WAITING' and e.dataset_id is null and (p.id is null or p.expands = 0 or p.state not in ${live})`,
  'I7 a live run has a live action': `
    select 'run ' || r.id || ' ' || r.state as what from run r
    where r.state in ('RUNNING', 'CANCELLING') and not exists (
      select 1 from action a where a.run_id = r.id and a.state in ${live} and a.cancel_requested <> 2)`,
  'a run that ended has nothing that goes on for itself': `
    select 'action ' || a.id || ' ' || a.state || ' of run ' || r.id || ' ' || r.state as what
    from run r join action a on a.run_id = r.id
    where r.ended_at is not null and a.state in ${live} and a.cancel_requested = 0`,
  'I4 an action has one live attempt exactly while it is with the back-end': `
    select 'action ' || a.id || ' ' || a.state || ' has ' || count(t.id) || ' live attempts' as what
    from action a left join attempt t on t.action_id = a.id and t.state in ('SUBMITTED', 'RUNNING')
    group by a.id having count(t.id) <> case when a.state in ${submitted} then 1 else 0 end`,
  'a result is the result of some run': `
    select 'dataset ' || d.id || ' ' || d.state as what from dataset d
    where d.state in ('LEAF', 'TO_LEAF') and not exists (
      select 1 from edge e where e.holder = 'run' and e.dataset_id = d.id and e.state = 'HELD')`,
  'who ended holds nothing': `
    select 'action ' || a.id || ' ' || a.state || ' has ' || e.holder || ' edge ' || e.state as what
    from action a join edge e on e.holder in ('action', 'join') and e.holder_id = a.id
    where a.state not in ${live} and e.state <> 'RELEASED'`,
};

interface Tracked {
  state: string;
  version: number;
}

interface Row extends Tracked {
  readonly machine: MachineName;
  readonly id: number;
}

interface JournalEntry {
  readonly id: number;
  readonly machine: MachineName;
  readonly entityId: number;
  readonly event: string;
  readonly fromState: string;
  readonly toState: string;
}

export class Invariants {
  readonly #database: Database;
  readonly #storage: MemoryStorage;
  readonly #world: ScriptedWorld;
  /** Locations that somebody removed by hand: their absence is no fault of the engine. */
  readonly removedByHand = new Set<string>();
  readonly #known = new Map<string, Tracked>();
  #journal = 0;

  constructor(database: Database, storage: MemoryStorage, world: ScriptedWorld) {
    this.#database = database;
    this.#storage = storage;
    this.#world = world;
  }

  /** Says what moved since the last time. */
  async check(): Promise<string> {
    this.#checkWorld();
    const moved = await this.#checkJournal();
    if (moved === undefined) return '';
    for (const [invariant, sql] of Object.entries(questions)) {
      const offenders = await this.#database.reader.all<{ what: string }>(sql);
      if (offenders.length > 0) throw new Violation(invariant, offenders.map(({ what }) => what).join('; '));
    }
    await this.#checkFiles();
    return moved;
  }

  /** I4, I5: no key starts twice, and an action never has two jobs at once. */
  #checkWorld(): void {
    const running = new Map<string, string>();
    for (const [key, entry] of this.#world.jobs) {
      if (entry.starts > 1)
        throw new Violation('I4 a key starts once', `${key} started ${entry.starts} times`);
      if (entry.state !== 'running') continue;
      // A host that stands still does not know that its job was given up.
      const action = `${key.slice(0, key.indexOf('-'))} ${entry.host}`;
      const other = running.get(action);
      if (other !== undefined) throw new Violation('I4 one job at a time', `${other} and ${key} run`);
      running.set(action, key);
    }
  }

  /** I1: every row moves along its table, without gaps in the journal. Undefined when nothing has changed. */
  async #checkJournal(): Promise<string | undefined> {
    const entries = await this.#database.reader.all<JournalEntry>(
      `select id, machine, entity_id as "entityId", event, from_state as "fromState", to_state as "toState"
        from journal where id > $1 order by id`,
      [this.#journal],
    );
    const moved = entries.filter(({ toState }) => toState !== '');
    for (const entry of moved) this.#follow(entry);
    this.#journal = entries.at(-1)?.id ?? this.#journal;
    const rows = await this.#database.reader.all<Row>(
      `select 'run' as machine, id, state, version from run union all
        select 'action', id, state, version from action union all
        select 'attempt', id, state, version from attempt union all
        select 'dataset', id, state, version from dataset union all
        select 'worker', id, state, version from worker`,
    );
    let changed = moved.length > 0;
    for (const { machine, id, state, version } of rows) {
      const known = this.#known.get(`${machine} ${id}`);
      if (!known) {
        if (!machines[machine].initial.includes(state as never))
          throw new Violation('I1 rows are born in an initial state', `${machine} ${id} was born ${state}`);
        this.#known.set(`${machine} ${id}`, { state, version });
        changed = true;
        continue;
      }
      if (known.state !== state)
        throw new Violation(
          'I1 a state changes only with a journal row',
          `${machine} ${id} is ${state}, the journal says ${known.state}`,
        );
      if (known.version !== version) changed = true;
      known.version = version;
    }
    if (!changed) return undefined;
    return moved.map((one) => `${one.machine} ${one.entityId} ${one.toState}`).join(', ');
  }

  #follow({ machine, entityId, event, fromState, toState }: JournalEntry): void {
    const key = `${machine} ${entityId}`;
    const what = `${key}: ${event} from ${fromState} to ${toState}`;
    const table: Machine = machines[machine];
    if (table.events[event]?.moves[fromState] !== toState)
      throw new Violation('I1 a state changes along its table', what);
    const known = this.#known.get(key);
    if (known && known.state !== fromState)
      throw new Violation('I1 the journal has no gaps', `${what}, but it was ${known.state}`);
    if (known) known.state = toState;
    else this.#known.set(key, { state: toState, version: 0 });
    if (machine === 'run' && fromState !== 'RUNNING' && fromState !== 'CANCELLING')
      throw new Violation('I7 what was reported ended stays so', what);
  }

  /** I3: what is stored has its files. */
  async #checkFiles(): Promise<void> {
    const rows = await this.#database.reader.all<{ id: number; location: string; state: string }>(
      `select id, location, state from dataset where state in ${available} and removal_began_at is null`,
    );
    for (const { id, location, state } of rows) {
      if (this.removedByHand.has(location)) continue;
      if (this.#storage.read(`${this.#storage.path(location)}/data`) === undefined)
        throw new Violation(
          'I3 what is stored has its files',
          `dataset ${id} ${state} has none at ${location}`,
        );
    }
  }
}

// What happens, for any number of followers. One reader per process follows the journal, woken by the store, and gives each follower what
// concerns it: a change is read and put into words once, however many look on.
import type { Static } from 'typebox';
import type { eventData } from '../../api/contract/system.ts';
import type { Bytes } from '../../api/route.ts';
import type { Store } from '../../core/ports/store.ts';
import type { JournalRow } from '../../core/rows.ts';
import type { Access } from '../caller.ts';
import { EventQueue } from './event-queue.ts';
import { RealmLookup } from './realm-lookup.ts';

export type Event = Static<typeof eventData>;

export interface FollowRequest {
  readonly access: Pick<Access, 'realms'>;
  /** Only what concerns this run. */
  readonly run?: number | undefined;
  /** The last event that the follower knows; from now on without it. */
  readonly after?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface EventHub {
  follow(request: FollowRequest): Bytes;
  readonly followers: number;
  /** Ends every stream. */
  close(): Promise<void>;
}

interface Told {
  readonly text: string;
  readonly id: number;
  readonly run: number | null;
  /** Undefined: everybody may know. Null: only those who see everything. */
  readonly realm: string | null | undefined;
}

const rowsAtOnce = 1000;
/** A follower that missed more than this reads the lists again instead. */
const mostMissed = 10_000;
const pingMs = 15_000;
const kinds = new Set(['run', 'action', 'dataset', 'worker']);

export function createEventHub(store: Store, onProblem: (error: unknown, doing: string) => void): EventHub {
  const followers = new Map<EventQueue, FollowRequest>();
  const lookup = new RealmLookup(store.view);
  let position: number | undefined;
  let unlisten: (() => void) | undefined;
  let pinging: NodeJS.Timeout | undefined;
  let finding: Promise<number> | undefined;
  let reading: Promise<void> | undefined;
  let more = false;
  let closed = false;

  /** Followers wait here until the hub knows where the journal ends. */
  async function start(): Promise<number> {
    if (!unlisten) {
      unlisten = store.listen((topic) => {
        if (topic === 'journal' || topic === '*') wake();
      });
      pinging = setInterval(() => {
        for (const queue of followers.keys()) queue.push(': still here\n\n');
        // A notice may get lost when a database restarts.
        wake();
      }, pingMs).unref();
    }
    if (position !== undefined) return position;
    finding ??= store.view.lastJournalId().finally(() => {
      finding = undefined;
    });
    const end = await finding;
    // Whoever came first has begun to read; the others begin where the reader is.
    position ??= end;
    wake();
    return position;
  }

  function rest(): void {
    if (followers.size > 0) return;
    unlisten?.();
    unlisten = undefined;
    clearInterval(pinging);
    position = undefined;
  }

  function wake(): void {
    more = true;
    reading ??= readOn().finally(() => {
      reading = undefined;
      // Without a position there is nothing to read yet: `start` wakes when it has found it.
      if (more && position !== undefined && followers.size > 0 && !closed) wake();
    });
  }

  async function readOn(): Promise<void> {
    try {
      while (more && position !== undefined) {
        more = false;
        const rows = await store.view.journal({ after: position, limit: rowsAtOnce });
        const last = rows.at(-1);
        if (!last || position === undefined) return;
        const told = await tell(rows);
        position = last.id;
        for (const [queue, request] of followers) queue.push(textFor(told, request));
        if (rows.length === rowsAtOnce) more = true;
      }
    } catch (error) {
      onProblem(error, 'read the journal');
    }
  }

  async function tell(rows: readonly JournalRow[]): Promise<Told[]> {
    const known = rows.filter((row) => kinds.has(row.machine));
    await lookup.learn(known);
    return known.map((row) => {
      const { realm, signature } = lookup.find(row);
      return { id: row.id, run: row.runId, realm, text: eventText(row, signature) };
    });
  }

  /** What the follower missed, in order; undefined when it is too much. */
  async function missed(request: FollowRequest, until: number): Promise<string | undefined> {
    let text = '';
    let read = 0;
    for (let after = request.after ?? until; after < until; ) {
      const filter = request.run === undefined ? {} : { runId: request.run };
      const rows = await store.view.journal({ ...filter, after, limit: rowsAtOnce });
      const old = rows.filter((row) => row.id <= until);
      text += textFor(await tell(old), request);
      read += old.length;
      if (read > mostMissed) return undefined;
      if (rows.length < rowsAtOnce) break;
      after = rows.at(-1)?.id ?? until;
    }
    return text;
  }

  async function* follow(request: FollowRequest): Bytes {
    const queue = new EventQueue(request.signal);
    // Before the end of the journal is known, so that the hub does not rest meanwhile; what comes earlier is told below.
    followers.set(queue, request);
    try {
      const began = await start();
      const backlog = request.after === undefined ? '' : await missed(request, began);
      yield Buffer.from(`retry: 1000\nid: ${began}\nevent: hello\ndata: {}\n\n`);
      if (backlog === undefined) yield Buffer.from(`id: ${began}\nevent: reset\ndata: {}\n\n`);
      else if (backlog !== '') yield Buffer.from(backlog);
      if (closed) return;
      yield* queue;
    } finally {
      followers.delete(queue);
      rest();
    }
  }

  return {
    follow,
    get followers() {
      return followers.size;
    },
    async close() {
      closed = true;
      for (const queue of followers.keys()) queue.end();
      await reading;
      unlisten?.();
      clearInterval(pinging);
    },
  };
}

function textFor(told: readonly Told[], { access, run }: FollowRequest): string {
  let text = '';
  for (const one of told) {
    if (run !== undefined && one.run !== run) continue;
    if (one.realm !== undefined && access.realms !== undefined) {
      if (one.realm === null || !access.realms.includes(one.realm)) continue;
    }
    text += one.text;
  }
  return text;
}

function eventText(row: JournalRow, signature: string | undefined): string {
  const data: Event = {
    id: row.id,
    at: row.at,
    kind: row.machine as Event['kind'],
    entity: row.entityId,
    run: row.runId,
    ...(signature === undefined ? {} : { dataset: signature }),
    event: row.event,
    from: row.fromState,
    to: row.toState,
  };
  return `id: ${row.id}\nevent: ${row.machine}\ndata: ${JSON.stringify(data)}\n\n`;
}

// Keeps what a process has made of the history, with what the algorithm learnt from it, and brings it back in the next one. What was kept
// is believed only if the same program kept it and the last event in it still is what is recorded: a store that was put back from
// a copy, or another one, is read from the beginning.
import { packData, unpackData } from '../core/packed-data.ts';
import type { Decider } from '../core/ports/decider.ts';
import type { DecisionMemory } from '../core/ports/decision-memory.ts';
import type { StoreView } from '../core/ports/store.ts';
import { HistoryFacts, type HistoryFactsData } from './history-facts.ts';

export interface HistoryKeeperOptions {
  readonly memory: DecisionMemory;
  /** Another program, or another edition of it, may learn otherwise. */
  readonly program: string;
  /** New events before which nothing is kept again; reading fewer takes no time worth saving. */
  readonly leastEvents?: number | undefined;
}

export interface Recalled {
  readonly history: HistoryFacts;
  /** What the algorithm knew. */
  readonly learnt: Uint8Array | undefined;
}

export interface HistoryKeeper {
  /** What was kept, if it can be believed. */
  recall(view: StoreView): Promise<Recalled | undefined>;
  /** Keeps what is known now if it is worth it. The history must not change meanwhile. */
  keep(view: StoreView, history: HistoryFacts, decider: Decider | undefined): Promise<void>;
}

interface Kept {
  readonly program: string;
  /** The last event as it was recorded. */
  readonly last: string;
  readonly history: HistoryFactsData;
  readonly learnt: Uint8Array | null;
}

const defaultLeastEvents = 500;
/** A longer history is kept again when it has grown by this share, so that keeping costs little of what reading did. */
const growth = 1 / 8;

export function createHistoryKeeper(options: HistoryKeeperOptions): HistoryKeeper {
  const { memory, program, leastEvents = defaultLeastEvents } = options;
  let keptEvents = 0;
  return {
    async recall(view) {
      const bytes = await memory.load();
      const kept = bytes && unpacked(bytes);
      if (!kept || kept.program !== program) return undefined;
      if (kept.last !== (await eventText(view, kept.history.through))) return undefined;
      const history = new HistoryFacts(kept.history);
      keptEvents = history.past.log.count;
      return { history, learnt: kept.learnt ?? undefined };
    },
    async keep(view, history, decider) {
      const { count } = history.past.log;
      if (Math.abs(count - keptEvents) < Math.max(leastEvents, keptEvents * growth)) return;
      const last = await eventText(view, history.through);
      if (last === undefined) return;
      const learnt = (await decider?.learnt?.()) ?? null;
      await memory.save(packData({ program, last, history: history.view(), learnt } satisfies Kept));
      keptEvents = count;
    },
  };
}

function unpacked(bytes: Uint8Array): Kept | undefined {
  try {
    return unpackData(bytes) as Kept;
  } catch {
    return undefined;
  }
}

async function eventText(view: StoreView, seq: number): Promise<string | undefined> {
  const [event] = await view.historyEvents({ after: seq - 1, limit: 1 });
  if (event?.seq !== seq) return undefined;
  return JSON.stringify([event.kind, event.at, event.runId, event.submittedAt, event.datasets]);
}

// The thread in which an algorithm lives. It keeps the folded state between decisions; each request brings the facts
// of the moment and the events that it has not seen.
import { parentPort, workerData } from 'node:worker_threads';
import { type DatasetColumns, DatasetTable } from '../core/eviction/dataset-table.ts';
import { DecisionSession, type SessionSnapshot } from '../core/eviction/decision-session.ts';
import { HistoryLog, type LogColumns } from '../core/eviction/history-log.ts';
import type { JsonObject } from '../core/json.ts';
import { joinParts, packData, unpackData } from '../core/packed-data.ts';
import { loadAlgorithm } from './load-plugin.ts';

export interface PluginData {
  readonly module: string;
  readonly settings: JsonObject;
  /** What the algorithm learnt from the beginning of the log, in an earlier thread. */
  readonly learnt?: Uint8Array | undefined;
}

/** A decision to be made, or what was learnt to be told. */
export type PluginOrder = PluginRequest | { readonly kind: 'tell' };

export interface PluginRequest {
  readonly kind: 'decide';
  readonly now: number;
  readonly bytesToFree: number;
  readonly known: DatasetColumns;
  /** Events since the last request. */
  readonly events: LogColumns;
  readonly window: Int32Array;
}

export type PluginAnswer =
  | { readonly giveUp: unknown; readonly score: unknown; readonly reuseRate: unknown }
  | { readonly learnt: Uint8Array | undefined }
  | { readonly error: string };

async function serve(port: NonNullable<typeof parentPort>): Promise<void> {
  const { module, settings, learnt } = workerData as PluginData;
  const algorithm = await loadAlgorithm(module);
  const snapshot = learnt && (unpackData(learnt) as SessionSnapshot);
  const session = new DecisionSession(algorithm, settings, snapshot);
  const log = new HistoryLog();
  port.on('message', (request: PluginOrder) => {
    try {
      if (request.kind === 'tell') {
        const told = toldBy(session);
        port.postMessage({ learnt: told }, told ? [told.buffer as ArrayBuffer] : []);
        return;
      }
      const events = HistoryLog.from(request.events);
      for (let i = 0; i < events.count; i += 1) log.append(events.event(i));
      const { now, bytesToFree, window } = request;
      const choice = session.decide({
        now,
        bytesToFree,
        known: DatasetTable.from(request.known),
        history: log,
        window,
      });
      port.postMessage({ giveUp: choice?.giveUp, score: choice?.score, reuseRate: choice?.reuseRate });
    } catch (error) {
      port.postMessage({ error: messageOf(error) });
    }
  });
}

/** A user's state may be anything that can be cloned; only plain data can be kept. */
function toldBy(session: DecisionSession): Uint8Array | undefined {
  try {
    return joinParts(packData(session.snapshot()));
  } catch {
    return undefined;
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

if (parentPort) {
  const port = parentPort;
  serve(port).catch((error: unknown) => port.postMessage({ error: messageOf(error) }));
}

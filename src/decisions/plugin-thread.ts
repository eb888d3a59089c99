// The thread in which a user's algorithm lives. It keeps the folded state between decisions; each request brings the facts
// of the moment and the events that it has not seen.
import { parentPort, workerData } from 'node:worker_threads';
import { type DatasetColumns, DatasetTable } from '../core/eviction/dataset-table.ts';
import { DecisionSession } from '../core/eviction/decision-session.ts';
import { HistoryLog, type LogColumns } from '../core/eviction/history-log.ts';
import type { JsonObject } from '../core/json.ts';
import { loadAlgorithm } from './load-plugin.ts';

export interface PluginData {
  readonly module: string;
  readonly settings: JsonObject;
}

export interface PluginRequest {
  readonly now: number;
  readonly bytesToFree: number;
  readonly known: DatasetColumns;
  /** Events since the last request. */
  readonly events: LogColumns;
  readonly window: Int32Array;
}

export type PluginAnswer =
  | { readonly giveUp: unknown; readonly score: unknown; readonly reuseRate: unknown }
  | { readonly error: string };

async function serve(port: NonNullable<typeof parentPort>): Promise<void> {
  const { module, settings } = workerData as PluginData;
  const algorithm = await loadAlgorithm(module);
  const session = new DecisionSession(algorithm, settings);
  const log = new HistoryLog();
  port.on('message', (request: PluginRequest) => {
    try {
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

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

if (parentPort) {
  const port = parentPort;
  serve(port).catch((error: unknown) => port.postMessage({ error: messageOf(error) }));
}

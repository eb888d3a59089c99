// Asks the worker for a layout. The worker is started when the first graph is shown.
import type { Layout, LayoutRequest } from './layout.ts';

/** Set by the build: the address of the worker's file. */
declare const LAYOUT_WORKER_URL: string;

let worker: Worker | undefined;
let next = 1;
const waiting = new Map<number, (layout: Layout) => void>();

export function askLayout(request: LayoutRequest): Promise<Layout> {
  if (!worker) {
    worker = new Worker(LAYOUT_WORKER_URL, { type: 'module' });
    worker.onmessage = ({ data }: MessageEvent<{ readonly id: number; readonly layout: Layout }>) => {
      waiting.get(data.id)?.(data.layout);
      waiting.delete(data.id);
    };
  }
  const id = next++;
  worker.postMessage({ id, request });
  return new Promise((resolve) => waiting.set(id, resolve));
}

// Figures for Prometheus: requests by route and status with their times, followers of events, and how the store stands.
import type { FastifyInstance } from 'fastify';
import type { Site } from '../caller.ts';

const boundaries = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

interface RouteTimes {
  readonly buckets: number[];
  sum: number;
  count: number;
}

export interface Metrics {
  text(): Promise<string>;
}

/** Begins to count; must be called before routes are added. */
export function measureRequests(app: FastifyInstance, site: Site): Metrics {
  const requests = new Map<string, number>();
  const times = new Map<string, RouteTimes>();
  app.addHook('onResponse', async (request, reply) => {
    const route = request.routeOptions.url ?? 'none';
    const labels = `method="${request.method}",route="${route}"`;
    const status = `${labels},status="${reply.statusCode}"`;
    requests.set(status, (requests.get(status) ?? 0) + 1);
    let time = times.get(labels);
    if (!time) {
      time = { buckets: boundaries.map(() => 0), sum: 0, count: 0 };
      times.set(labels, time);
    }
    const seconds = reply.elapsedTime / 1000;
    time.sum += seconds;
    time.count += 1;
    boundaries.forEach((bound, i) => {
      if (seconds <= bound) (time.buckets[i] as number) += 1;
    });
  });
  return {
    text: async () =>
      [...requestLines(requests, times), ...(await storeLines(site)), ...processLines()]
        .join('\n')
        .concat('\n'),
  };
}

function requestLines(
  requests: ReadonlyMap<string, number>,
  times: ReadonlyMap<string, RouteTimes>,
): string[] {
  const lines = [...head('varve_http_requests_total', 'counter', 'requests answered')];
  for (const [labels, count] of requests) lines.push(`varve_http_requests_total{${labels}} ${count}`);
  lines.push(...head('varve_http_request_seconds', 'histogram', 'time to answer'));
  for (const [labels, { buckets, sum, count }] of times) {
    boundaries.forEach((bound, i) => {
      lines.push(`varve_http_request_seconds_bucket{${labels},le="${bound}"} ${buckets[i]}`);
    });
    lines.push(`varve_http_request_seconds_bucket{${labels},le="+Inf"} ${count}`);
    lines.push(`varve_http_request_seconds_sum{${labels}} ${sum}`);
    lines.push(`varve_http_request_seconds_count{${labels}} ${count}`);
  }
  return lines;
}

async function storeLines({ varve, events }: Site): Promise<string[]> {
  const { view } = varve.store;
  const [totals, runs, workers, usage] = await Promise.all([
    view.datasetTotals(),
    view.liveRuns(),
    view.workers({ live: true }),
    varve.storage.usage(),
  ]);
  const byState = Map.groupBy(workers, (worker) => worker.state);
  return [
    ...head('varve_runs_live', 'gauge', 'runs that have not ended'),
    `varve_runs_live ${runs.length}`,
    ...head('varve_datasets', 'gauge', 'datasets by state'),
    ...totals.map(({ state, count }) => `varve_datasets{state="${state}"} ${count}`),
    ...head('varve_dataset_bytes', 'gauge', 'bytes of datasets by state'),
    ...totals.map(({ state, sizeBytes }) => `varve_dataset_bytes{state="${state}"} ${sizeBytes}`),
    ...head('varve_storage_free_bytes', 'gauge', 'bytes that the file system of the datasets still offers'),
    `varve_storage_free_bytes ${usage.freeBytes}`,
    ...head('varve_workers', 'gauge', 'processes that share the store, by state'),
    ...[...byState].map(([state, list]) => `varve_workers{state="${state}"} ${list.length}`),
    ...head('varve_actions_in_hand', 'gauge', 'actions that this process is working on'),
    `varve_actions_in_hand ${varve.engine.actionManager.inHand}`,
    ...head('varve_event_followers', 'gauge', 'open streams of events'),
    `varve_event_followers ${events.followers}`,
  ];
}

function processLines(): string[] {
  const { rss, heapUsed } = process.memoryUsage();
  const { user, system } = process.cpuUsage();
  return [
    ...head('process_resident_memory_bytes', 'gauge', 'resident memory'),
    `process_resident_memory_bytes ${rss}`,
    ...head('nodejs_heap_used_bytes', 'gauge', 'heap in use'),
    `nodejs_heap_used_bytes ${heapUsed}`,
    ...head('process_cpu_seconds_total', 'counter', 'processor time'),
    `process_cpu_seconds_total ${(user + system) / 1e6}`,
    ...head('process_start_time_seconds', 'gauge', 'when the process began'),
    `process_start_time_seconds ${(Date.now() / 1000 - process.uptime()).toFixed(3)}`,
  ];
}

function head(name: string, type: string, help: string): string[] {
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`];
}

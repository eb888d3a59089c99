// Datasets: what is known of them, their files, and how long they live.
import { randomUUID } from 'node:crypto';
import type { Output } from '../../api/api.ts';
import type { datasetRoutes } from '../../api/contract/datasets.ts';
import type { Json } from '../../core/json.ts';
import type { DatasetListing } from '../../core/ports/listing.ts';
import type { DatasetRow, EdgeRow } from '../../core/rows.ts';
import { deleteDataset, demoteDataset, pinDataset, unpinDataset } from '../../engine/keep-dataset.ts';
import { lineageGraph } from '../../engine/lineage-graph.ts';
import { restoreDataset } from '../../engine/restore-dataset.ts';
import { verifyDataset } from '../../engine/verify-dataset.ts';
import { whyDeleted } from '../../engine/why-deleted.ts';
import { type Caller, maySee, realmsFor, submissionKey, submitter, view, visibleDataset } from '../caller.ts';
import { fromCursor, toCursor } from '../cursor.ts';
import { readDatasetArchive, readDatasetFile, requireStored } from '../dataset-files.ts';
import type { Handlers } from '../handlers.ts';

const journalRows = 1000;

export const datasetHandlers: Handlers<typeof datasetRoutes> = {
  async listDatasets(input, caller) {
    const realms = realmsFor(caller.access, input.project);
    const { search, cursor } = input;
    if (search !== undefined && cursor === undefined && /^[0-9a-f]{6,64}$/.test(search)) {
      const found = await view(caller).datasetsByPrefix(search, input.limit ?? 50, realms);
      if (found.length > 0) return { items: found.map(summary), next: null };
    }
    const { rows, next } = await view(caller).pageDatasets({
      states: input.state,
      realms,
      name: input.name,
      search,
      before: fromCursor('datasets', cursor),
      limit: input.limit ?? 50,
    });
    return { items: rows.map(summary), next: toCursor('datasets', next) };
  },

  async getDataset({ dataset }, caller) {
    const row = await visibleDataset(caller, dataset);
    return { ...summary(row), ...(await detail(row, caller)) };
  },

  async getLineage({ dataset, direction = 'up' }, caller) {
    const row = await visibleDataset(caller, dataset);
    const { datasets, links } = await lineageGraph(view(caller), row, direction, caller.access.realms);
    return {
      root: row.signature,
      datasets: datasets.map(({ signature, name, state }) => ({ signature, name, state })),
      links: links.map(({ from, to, slot }) => ({ from, to, slot })),
    };
  },

  async listFiles({ dataset, cursor, limit = 50 }, caller) {
    const row = await visibleDataset(caller, dataset);
    const entries = await caller.site.varve.storage.entries(requireStored(row));
    const start = fromCursor('files', cursor) ?? 0;
    const next = start + limit < entries.length ? start + limit : undefined;
    return {
      items: entries.slice(start, start + limit).map((entry) => ({ ...entry })),
      next: toCursor('files', next),
    };
  },

  async readFile({ dataset, path, range }, caller) {
    return readDatasetFile(caller.site, await visibleDataset(caller, dataset), path, range);
  },

  async readArchive({ dataset }, caller) {
    return readDatasetArchive(caller, await visibleDataset(caller, dataset));
  },

  async whyDeleted({ dataset }, caller) {
    return whyDeleted(view(caller), await visibleDataset(caller, dataset));
  },

  async pinDataset({ dataset, forMs }, caller) {
    const row = await ownDataset(caller, dataset);
    const until = forMs === undefined ? null : Date.now() + forMs;
    await pinDataset(caller.site.varve.engine.context, row, until);
    return { dataset: row.signature, until };
  },

  async unpinDataset({ dataset }, caller) {
    const row = await ownDataset(caller, dataset);
    await unpinDataset(caller.site.varve.engine.context, row);
    return { dataset: row.signature };
  },

  async demoteDataset({ dataset }, caller) {
    const row = await ownDataset(caller, dataset);
    await demoteDataset(caller.site.varve.engine.context, row);
    return { dataset: row.signature };
  },

  async deleteDataset({ dataset }, caller) {
    const row = await ownDataset(caller, dataset);
    await deleteDataset(caller.site.varve.engine.context, row);
    await caller.site.varve.engine.datasetManager.sweep();
    return { dataset: row.signature };
  },

  async restoreDataset({ dataset, idempotencyKey }, caller) {
    const row = await ownDataset(caller, dataset);
    const { userName } = caller.access;
    const key = submissionKey(caller.access, idempotencyKey) ?? randomUUID();
    const { context } = caller.site.varve.engine;
    const { runId, repeated } = await restoreDataset(context, row, { userName, submissionKey: key });
    return { run: runId, repeated };
  },

  async verifyDataset({ dataset, depth = 'contents' }, caller) {
    const row = await ownDataset(caller, dataset);
    const found = await verifyDataset(caller.site.varve.engine.context, row, depth);
    return { dataset: row.signature, name: row.name, found };
  },

  async uploadFile({ bytes }, caller) {
    return caller.site.files.store(caller.access.userName, bytes);
  },
};

/** A dataset that the caller may not only see but change. */
async function ownDataset(caller: Caller, prefix: string): Promise<DatasetRow> {
  const row = await visibleDataset(caller, prefix);
  submitter(caller.access, row.realm);
  return row;
}

function summary(row: DatasetListing): Output<'listDatasets'>['items'][number] {
  const { id: _, signature, realm, ...rest } = row;
  const { name, state, sizeBytes, fileCount, computeMs, uses } = rest;
  const { createdAt, storedAt, usedAt, deletedAt, deletedReason } = rest;
  return {
    dataset: signature,
    project: realm,
    name,
    state,
    sizeBytes,
    fileCount,
    computeMs,
    uses,
    createdAt,
    storedAt,
    usedAt,
    deletedAt,
    deletedReason,
  };
}

async function detail(
  row: DatasetRow,
  caller: Caller,
): Promise<Omit<Output<'getDataset'>, keyof Output<'listDatasets'>['items'][number]>> {
  const edges = await view(caller).edgesOn([row.id]);
  const journal = await view(caller).journal({ datasetId: row.id, limit: journalRows });
  const pin = edges.find((edge) => edge.holder === 'pin');
  const [, , definition] = JSON.parse(row.definition) as Json[];
  const seesPaths = caller.access.role === 'admin' && row.location !== null;
  return {
    digest: row.digest,
    path: seesPaths ? caller.site.varve.storage.path(row.location as string) : null,
    nondeterministic: row.nondeterministic === 1,
    pinned: pin !== undefined,
    pinnedUntil: pin?.expiresAt ?? null,
    holders: await holderNames(edges, caller),
    producer: await producer(row, caller),
    definition,
    value: row.value === null ? null : (JSON.parse(row.value) as Json),
    journal: journal.map(({ at, event, fromState, toState, actor }) => ({
      at,
      event,
      fromState,
      toState,
      actor,
    })),
  };
}

/** Holders that the caller may see by name; of others only that there are some. */
async function holderNames(edges: readonly EdgeRow[], caller: Caller): Promise<string[]> {
  const runIds = edges.filter((edge) => edge.holder === 'run').map((edge) => edge.holderId);
  const realms = await view(caller).runRealms([...new Set(runIds)]);
  const names = edges.map((edge) => {
    if (edge.holder === 'pin' || edge.holder === 'download') return edge.holder;
    if (caller.access.realms === undefined) return `${edge.holder} ${edge.holderId}`;
    const seen = edge.holder === 'run' && maySee(caller.access, realms.get(edge.holderId) ?? '');
    return seen ? `run ${edge.holderId}` : edge.holder;
  });
  return [...new Set(names)];
}

async function producer(row: DatasetRow, caller: Caller): Promise<Output<'getDataset'>['producer']> {
  if (row.producerId === null) return null;
  const [action] = await view(caller).actions([row.producerId]);
  const run = action && (await view(caller).runListing(action.runId));
  if (!action || !run || !maySee(caller.access, run.realm)) return null;
  return { run: run.id, action: action.id, key: action.key };
}

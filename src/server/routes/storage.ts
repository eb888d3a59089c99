// The storage budget: space, decisions, rules.
import type { Output } from '../../api/api.ts';
import type { storageRoutes } from '../../api/contract/storage.ts';
import { type KeepRule, ruleText } from '../../core/eviction/keep-rules.ts';
import { formatBytes } from '../../core/units.ts';
import { collectGarbage } from '../../engine/collect-garbage.ts';
import { engineErrors } from '../../engine/error-codes.ts';
import { addRule, removeRule } from '../../engine/keep-rules.ts';
import type { Decision } from '../../engine/make-decision.ts';
import { measureSpace, stayingBytes } from '../../engine/measure-space.ts';
import type { PricedDataset } from '../../engine/price-choice.ts';
import { verifyDataset } from '../../engine/verify-dataset.ts';
import type { Varve } from '../../varve.ts';
import { type Caller, maySee, requireSeesAll, view } from '../caller.ts';
import { fromCursor, toCursor } from '../cursor.ts';
import { serverErrors } from '../error-codes.ts';
import type { Handlers } from '../handlers.ts';

/** Attempts that ended more recently keep what fences a late hand-over. */
const graceMs = 60_000;
const month = 30 * 24 * 3600_000;
const occupying = ['STORED', 'LEAF', 'STORED_TO_DELETE', 'PROCESSING', 'DELETING'];

export const storageHandlers: Handlers<typeof storageRoutes> = {
  async getStorage(_, caller) {
    const { varve } = caller.site;
    const { realms } = caller.access;
    const totals = await view(caller).datasetTotals(realms);
    const disk = realms === undefined ? await varve.storage.usage() : undefined;
    const space =
      disk && varve.decisions.budget
        ? await measureSpace(varve.engine.context, varve.decisions.budget)
        : undefined;
    return {
      usedBytes: totals.reduce((sum, row) => sum + (occupying.includes(row.state) ? row.sizeBytes : 0), 0),
      freeBytes: disk?.freeBytes ?? null,
      totalBytes: disk?.totalBytes ?? null,
      states: totals.map((row) => ({ ...row })),
      budget: space
        ? {
            budgetBytes: space.budgetBytes,
            highBytes: space.highBytes,
            lowBytes: space.lowBytes,
            countedBytes: space.usedBytes,
            leavingBytes: space.leavingBytes,
            resultBytes: space.resultBytes,
          }
        : null,
      algorithm: varve.config.decisions.algorithm,
    };
  },

  async getStorageUse({ from, until, points = 200 }, caller) {
    requireSeesAll(caller);
    const end = until ?? Date.now();
    const start = from ?? end - month;
    const items = await view(caller).spaceSamples({ from: start, until: Math.max(start, end), points });
    return { items: items.map((item) => ({ ...item })) };
  },

  async decide({ free, dryRun = true, limit = 50 }, caller) {
    requireSeesAll(caller);
    const { varve } = caller.site;
    const bytes = free ?? (await bytesOverBudget(varve));
    const { decisionManager } = varve.engine;
    const decision = dryRun ? await decisionManager.foresee(bytes) : await decisionManager.free(bytes);
    if (!decision) throw engineErrors.DECISIONS_BUSY();
    if (!dryRun) await varve.engine.datasetManager.sweep();
    return { dryRun, ...(await shown(decision, limit, caller)) };
  },

  async askWhatIf({ budgetBytes }, caller) {
    requireSeesAll(caller);
    const answer = await caller.site.whatIf.ask({ budgetBytes });
    return { answer: answer ? { ...answer } : null };
  },

  async cleanStorage(_, caller) {
    const { engine } = caller.site.varve;
    const deleted = await engine.datasetManager.sweep();
    const { attempts, locations } = await collectGarbage(engine.context, { graceMs });
    return { deleted, attempts: attempts.length, orphans: locations.length };
  },

  async verifyStorage({ depth = 'contents', cursor, limit = 100 }, caller) {
    const before = fromCursor('verify', cursor) ?? Number.MAX_SAFE_INTEGER;
    const rows = await view(caller).listDatasets({ states: ['STORED', 'LEAF'], before, limit });
    const counts = { intact: 0, missing: 0, damaged: 0 };
    const bad: Output<'verifyStorage'>['bad'] = [];
    for (const row of rows) {
      const found = await verifyDataset(caller.site.varve.engine.context, row, depth);
      counts[found] += 1;
      if (found !== 'intact') bad.push({ dataset: row.signature, name: row.name, found });
    }
    const next = rows.length < limit ? undefined : rows.at(-1)?.id;
    return { ...counts, bad, next: toCursor('verify', next) };
  },

  async listRules(_, caller) {
    requireSeesAll(caller);
    return { items: (await view(caller).keepRules()).map(shownRule) };
  },

  async addRule({ effect, name, user, atLeastBytes, atMostBytes, quotaBytes }, caller) {
    const rule = await addRule(caller.site.varve.engine.context, {
      effect,
      name: name ?? null,
      userName: user ?? null,
      atLeastBytes: atLeastBytes ?? null,
      atMostBytes: atMostBytes ?? null,
      quotaBytes: quotaBytes ?? null,
      createdBy: caller.access.userName,
    });
    return shownRule(rule);
  },

  async removeRule({ rule }, caller) {
    await removeRule(caller.site.varve.engine.context, rule);
    return { rule };
  },
};

async function bytesOverBudget(varve: Varve): Promise<number> {
  const { budget } = varve.decisions;
  if (!budget) throw serverErrors.NO_BUDGET();
  const space = await measureSpace(varve.engine.context, budget);
  return stayingBytes(space) > space.highBytes ? stayingBytes(space) - space.lowBytes : 0;
}

async function shown(
  decision: Decision,
  limit: number,
  caller: Caller,
): Promise<Omit<Output<'decide'>, 'dryRun'>> {
  const { givenUp, by, refused, ...figures } = decision;
  const realms = await view(caller).datasetRealms(givenUp.map(({ row }) => row.id));
  const visible = givenUp.filter(({ row }) => maySee(caller.access, realms.get(row.id)?.realm ?? ''));
  return {
    ...figures,
    ...(by === undefined ? {} : { by }),
    ...(refused === undefined ? {} : { refused }),
    datasets: givenUp.length,
    givenUp: visible.slice(0, limit).map((one) => priced(one, realms.get(one.row.id)?.signature ?? '')),
  };
}

function priced({ row, ...tag }: PricedDataset, dataset: string): Output<'decide'>['givenUp'][number] {
  const known = Object.fromEntries(Object.entries(tag).filter(([, value]) => value !== undefined));
  return { ...known, dataset, name: row.name, bytes: tag.bytes, uses: tag.uses, by: tag.by, text: tag.text };
}

function shownRule(rule: KeepRule): Output<'addRule'> {
  return { ...rule, text: ruleText(rule, formatBytes) };
}

// The store: opens a database by URL, brings its schema up to date, and offers it to the engine as the `Store` port.
import type { Store, StoreTransaction, StoreView, Topic } from '../core/ports/store.ts';
import { Births, collectingSession } from './births.ts';
import type { Database, Session } from './database.ts';
import { migrate } from './migrate.ts';
import { type DatabaseOptions, openDatabase } from './open-database.ts';
import type { Outbox } from './outbox.ts';
import { askTogether } from './plan-answers.ts';
import { compactHistory } from './queries/compact-history.ts';
import { createTotalsKeeper } from './queries/dataset-totals.ts';
import { leaseActions } from './queries/lease-actions.ts';
import { listPages } from './queries/list-pages.ts';
import { lockRows } from './queries/lock-rows.ts';
import { move } from './queries/move.ts';
import { readAccounts } from './queries/read-accounts.ts';
import { readActions } from './queries/read-actions.ts';
import { readArrivals } from './queries/read-arrivals.ts';
import { readDatasets } from './queries/read-datasets.ts';
import { readEdges } from './queries/read-edges.ts';
import { readHistory } from './queries/read-history.ts';
import { readJournal } from './queries/read-journal.ts';
import { readRuns, runsTaken } from './queries/read-runs.ts';
import { readRemoteJobs, writeRemoteJobs } from './queries/remote-jobs.ts';
import { writeAccounts } from './queries/write-accounts.ts';
import { writeDatasets } from './queries/write-datasets.ts';
import { writeEdges } from './queries/write-edges.ts';
import { writeHistory } from './queries/write-history.ts';
import { writeRows } from './queries/write-rows.ts';
import { writeSpaceSamples } from './queries/write-space-samples.ts';
import { withoutPassword } from './store-url.ts';
import { createWriteQueue } from './write-queue.ts';
import type { WriteScope } from './write-scope.ts';

export interface StoreOptions extends DatabaseOptions {
  /** `full`: what was reported survives power loss; `normal`: only the death of processes. */
  readonly durability?: 'full' | 'normal';
  readonly now?: () => number;
}

/** Opens a store and applies missing migrations. */
export async function openStore(url: string, options: StoreOptions = {}): Promise<Store> {
  const database = await openDatabase(url, options);
  const where = withoutPassword(url);
  try {
    await migrate(database, where, (options.now ?? Date.now)());
  } catch (error) {
    await database.close();
    throw error;
  }
  return createStore(database, where, options);
}

/** The store over a database whose schema is up to date. */
export function createStore(database: Database, where: string, options: StoreOptions = {}): Store {
  const keepTotals = createTotalsKeeper();
  const queue = createWriteQueue(database, {
    async beforePlans(session, outbox, questions) {
      outbox.births ??= new Births(session);
      outbox.births.answers = await askTogether({ session, outbox }, questions);
    },
    async beforeCommit(session, outbox) {
      if (outbox.changesTotals) await keepTotals(session);
      await outbox.flush(session);
    },
  });
  const alwaysLazy = options.durability === 'normal';
  return {
    where,
    dialect: database.dialect.name,
    view: createView(database.reader),
    survey: createView(database.surveyor),
    write: (body, { durable = true, planning = false, asks } = {}) =>
      queue.run((session, outbox) => body(transactionOn(session, outbox, planning)), {
        durable: durable === true && alwaysLazy ? false : durable,
        planning,
        asks,
      }),
    listen: (listener) => database.listen((topic) => listener(topic as Topic)),
    settled: () => database.settled(),
    async close() {
      await queue.drained();
      await database.close();
    },
  };
}

function createView(session: Session): StoreView {
  return {
    ...readRuns(session),
    ...readActions(session),
    ...readDatasets(session),
    ...readEdges(session),
    ...readJournal(session),
    ...readHistory(session),
    ...readArrivals(session),
    ...listPages(session),
    ...readAccounts(session),
    ...readRemoteJobs(session),
  };
}

interface Prepared {
  readonly scope: WriteScope;
  readonly transaction: StoreTransaction;
}

const prepared = new WeakMap<Session, { plain?: Prepared; planning?: Prepared }>();

/** Two objects per session, which serves many transactions: their bodies run one after the other, each with the outbox given here. */
function transactionOn(session: Session, outbox: Outbox, planning: boolean): StoreTransaction {
  let both = prepared.get(session);
  if (!both) prepared.set(session, (both = {}));
  const known = planning
    ? (both.planning ??= preparePlanning(session, outbox))
    : (both.plain ??= prepare({ session, outbox }));
  known.scope.outbox = outbox;
  return known.transaction;
}

function prepare(scope: WriteScope): Prepared {
  return { scope, transaction: createTransaction(scope) };
}

/** New rows are collected over all plans of the transaction; a look that cannot see them does not have to wait for them. */
function preparePlanning(session: Session, outbox: Outbox): Prepared {
  const births = (): Births => (scope.outbox.births ??= new Births(session));
  const scope: WriteScope = { session: collectingSession(session, births), outbox };
  const before = createView(session);
  const transaction = createTransaction(scope);
  return {
    scope,
    transaction: {
      ...transaction,
      dispatchClock: () => (scope.outbox.dispatchClock ??= before.dispatchClock()),
      async runBySubmission(key) {
        const { answers } = births();
        if (births().hasSubmission(key)) return transaction.runBySubmission(key);
        return answers?.hasRun(key) ? answers.run(key) : before.runBySubmission(key);
      },
      async datasetFacts(signatures, realms) {
        const { answers } = births();
        if (births().hasAnySignature(signatures)) return transaction.datasetFacts(signatures, realms);
        return answers?.hasFacts(signatures)
          ? answers.facts(signatures, realms)
          : before.datasetFacts(signatures, realms);
      },
    },
  };
}

function createTransaction(scope: WriteScope): StoreTransaction {
  const { session } = scope;
  const view = createView(session);
  /** What the transaction itself has collected belongs to what it sees. */
  const afterFlush = async <T>(look: () => Promise<T>): Promise<T> => {
    await scope.outbox.flush(session);
    return look();
  };
  return {
    ...view,
    ...leaseActions(scope),
    ...writeRows(scope),
    ...writeEdges(scope),
    ...writeDatasets(scope),
    ...writeHistory(session),
    ...writeAccounts(session),
    ...writeRemoteJobs(session),
    ...writeSpaceSamples(session),
    ...compactHistory(session),
    move: (machine, event, moves, context) => move(session, scope.outbox, machine, event, moves, context),
    notify: (topic) => scope.outbox.topics.add(topic),
    journal: (filter) => afterFlush(() => view.journal(filter)),
    datasetTotals: (realms) => afterFlush(() => view.datasetTotals(realms)),
    async runsWithoutLiveActions(runIds) {
      // Two transactions that each end one of the last two actions of a run: the second sees what the first did. Runs of which nobody has
      // taken the last action yet are not locked, so that their actions may end in several transactions at once.
      const nearEnd = session.dialect.lock === '' ? runIds : await runsTaken(session, runIds);
      await lockRows(session, 'run', nearEnd);
      return nearEnd.length > 0 ? view.runsWithoutLiveActions(nearEnd) : [];
    },
  };
}

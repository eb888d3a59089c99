// What users and operators do to a store at random moments: submit, cancel, pin, delete, verify, restore, run again, and remove files by
// hand. Each deed is a process of its own that may be slow, fail or die like any other.
import { VarveError } from '../../src/core/errors.ts';
import type { DatasetRow } from '../../src/core/rows.ts';
import { cancelRun } from '../../src/engine/cancel-run.ts';
import type { EngineContext } from '../../src/engine/engine-context.ts';
import { deleteDataset, pinDataset, unpinDataset } from '../../src/engine/keep-dataset.ts';
import { repeatRun } from '../../src/engine/repeat-run.ts';
import { restoreDataset } from '../../src/engine/restore-dataset.ts';
import { type Submission, submitRun } from '../../src/engine/submit-run.ts';
import { verifyDataset } from '../../src/engine/verify-dataset.ts';
import type { Invariants } from './invariants.ts';
import { type Catalogue, chooseWorkflow } from './random-workflow.ts';
import { type Machine, SimulatedProcess } from './simulated-process.ts';

type Deed = (context: EngineContext) => Promise<unknown>;

export class Users {
  readonly #machine: Machine;
  readonly #catalogue: Catalogue;
  readonly #invariants: Invariants;
  readonly #busy = new Set<SimulatedProcess>();
  #count = 0;

  constructor(machine: Machine, catalogue: Catalogue, invariants: Invariants) {
    this.#machine = machine;
    this.#catalogue = catalogue;
    this.#invariants = invariants;
  }

  get processes(): readonly SimulatedProcess[] {
    return [...this.#busy];
  }

  /** Somebody does something. */
  async act(): Promise<void> {
    const { choices } = this.#machine;
    const deed = choices.weighted([
      [8, () => this.#submit()],
      [3, () => this.#cancel()],
      [4, () => this.#remove()],
      [2, () => this.#giveUp()],
      [1, () => this.#pin()],
      [1, () => this.#delete()],
      [1, () => this.#verify()],
      [1, () => this.#restore()],
      [1, () => this.#repeat()],
    ]);
    await deed();
  }

  async submitOne(): Promise<void> {
    await this.#submit();
  }

  #perform(what: string, deed: Deed): void {
    const { log } = this.#machine;
    const process = new SimulatedProcess(this.#machine, `u${++this.#count}`);
    this.#busy.add(process);
    log(`  ${process.name} wants to ${what}`);
    const tell = (error: unknown): void => {
      const known = error instanceof VarveError && error.kind !== 'bug';
      log(`  ${process.name} could not ${what}: ${String(error)}`);
      if (!known) this.failure ??= error;
    };
    this.#persist(process.engine.context, deed)
      .catch(tell)
      .finally(() => this.#busy.delete(process));
  }

  /** An error that no user should ever see. */
  failure: unknown;

  /** Tries again while the store is away. */
  async #persist(context: EngineContext, deed: Deed): Promise<void> {
    for (let tries = 0; ; tries++) {
      try {
        await deed(context);
        return;
      } catch (error) {
        if (tries === 2 || !(error instanceof VarveError) || error.kind !== 'unavailable') throw error;
        await context.clock.sleep(100);
      }
    }
  }

  async #submit(): Promise<void> {
    const { choices } = this.#machine;
    const nodes = chooseWorkflow(this.#catalogue, choices);
    const realm = choices.chance(0.2) ? 'other' : 'shared';
    const submission: Submission = {
      workflow: {
        name: 'w',
        language: 'test',
        failurePolicy: choices.chance(0.3) ? 'stop' : 'finish-what-is-possible',
        nodes,
      },
      userName: realm,
      realm,
      readable: choices.chance(0.2) ? ['shared', 'other'] : [realm],
      submissionKey: `s${++this.#count}`,
      priority: choices.below(2),
    };
    const shown = nodes.map(({ key, spec, policy, parents }) => {
      const marks = `${policy.forced ? '!' : ''}${policy.outputPath ? '>' : ''}${spec.grow ? JSON.stringify(spec.grow) : ''}`;
      return `${key}:${String(spec.op)}${marks}(${parents.map((p) => p.key + (p.optional ? '?' : '')).join()})`;
    });
    this.#perform(`submit ${shown.join(' ')} in ${realm}`, (context) => submitRun(context, submission));
  }

  async #cancel(): Promise<void> {
    const runs = await this.#machine.store.view.liveRuns();
    if (runs.length === 0) return;
    const run = this.#machine.choices.pick(runs);
    this.#perform(`cancel run ${run}`, (context) => cancelRun(context, run));
  }

  async #repeat(): Promise<void> {
    const { store, choices } = this.#machine;
    const runs = (await store.view.listRuns({ limit: 100 })).filter((run) => run.endedAt !== null);
    if (runs.length === 0) return;
    const { id } = choices.pick(runs);
    const request = { userName: 'u', submissionKey: `s${++this.#count}` };
    this.#perform(`repeat run ${id}`, (context) => repeatRun(context, id, request));
  }

  async #some(wanted: (row: DatasetRow) => boolean): Promise<DatasetRow | undefined> {
    const { store, choices } = this.#machine;
    const rows = await store.view.listDatasets({ limit: 1000 });
    const found = rows.filter(wanted);
    return found.length === 0 ? undefined : choices.pick(found);
  }

  async #remove(): Promise<void> {
    const row = await this.#some(isThere);
    if (!row?.location) return;
    this.#machine.log(`  somebody removes the files of dataset ${row.id}`);
    this.#invariants.removedByHand.add(row.location);
    await this.#machine.storage.remove(row.location);
  }

  async #giveUp(): Promise<void> {
    const row = await this.#some(({ state }) => state === 'STORED' || state === 'TO_STORE');
    if (!row) return;
    this.#perform(`give up dataset ${row.id}`, (context) =>
      context.store.write(async (tx) => {
        const by = { actor: context.owner, at: context.clock.now(), unclaimed: true };
        await tx.move('dataset', 'giveUp', [{ id: row.id }], by);
        tx.notify('doomed');
      }),
    );
  }

  async #pin(): Promise<void> {
    const row = await this.#some(isThere);
    if (!row) return;
    const { choices, scheduler } = this.#machine;
    if (choices.chance(0.5)) this.#perform(`unpin ${row.id}`, (context) => unpinDataset(context, row));
    else this.#perform(`pin ${row.id}`, (context) => pinDataset(context, row, scheduler.now + 500));
  }

  async #delete(): Promise<void> {
    const row = await this.#some(isThere);
    if (row) this.#perform(`delete dataset ${row.id}`, (context) => deleteDataset(context, row));
  }

  async #verify(): Promise<void> {
    const row = await this.#some(isThere);
    if (row) this.#perform(`verify ${row.id}`, (context) => verifyDataset(context, row, 'contents'));
  }

  async #restore(): Promise<void> {
    const row = await this.#some(({ state, node }) => state === 'DELETED' && node !== '');
    const request = { userName: 'u', submissionKey: `s${++this.#count}` };
    if (row) this.#perform(`restore ${row.id}`, (context) => restoreDataset(context, row, request));
  }
}

function isThere({ state }: DatasetRow): boolean {
  return state === 'STORED' || state === 'LEAF' || state === 'STORED_TO_DELETE';
}

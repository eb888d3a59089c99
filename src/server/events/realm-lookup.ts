// Whose runs and datasets journal rows are about, remembered for a while.
import type { StoreView } from '../../core/ports/store.ts';
import type { JournalRow } from '../../core/rows.ts';

export interface Whereabouts {
  /** Undefined: concerns everybody. Null: only those who see everything. */
  readonly realm: string | null | undefined;
  readonly signature?: string | undefined;
}

const mostRemembered = 50_000;

export class RealmLookup {
  readonly #view: StoreView;
  readonly #runs = new Map<number, string>();
  readonly #datasets = new Map<number, { readonly realm: string; readonly signature: string }>();

  constructor(view: StoreView) {
    this.#view = view;
  }

  /** Reads what the rows need and is not known yet. */
  async learn(rows: readonly JournalRow[]): Promise<void> {
    if (this.#runs.size > mostRemembered) this.#runs.clear();
    if (this.#datasets.size > mostRemembered) this.#datasets.clear();
    const runs = new Set<number>();
    const datasets = new Set<number>();
    for (const { machine, runId, entityId } of rows) {
      if (runId !== null && !this.#runs.has(runId)) runs.add(runId);
      if (machine === 'dataset' && !this.#datasets.has(entityId)) datasets.add(entityId);
    }
    if (runs.size > 0)
      for (const [id, realm] of await this.#view.runRealms([...runs])) this.#runs.set(id, realm);
    if (datasets.size > 0)
      for (const [id, found] of await this.#view.datasetRealms([...datasets])) this.#datasets.set(id, found);
  }

  find({ machine, runId, entityId }: JournalRow): Whereabouts {
    if (machine === 'worker') return { realm: undefined };
    if (machine === 'dataset') return this.#datasets.get(entityId) ?? { realm: null };
    return { realm: (runId === null ? undefined : this.#runs.get(runId)) ?? null };
  }
}

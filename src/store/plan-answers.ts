// What plans that share a transaction ask before they write, asked for all of them at once: a question each would be a round trip each.
// The answers hold as long as the transaction has only collected new rows (see `Births`).
import type { DatasetFactRow, PlanQuestions } from '../core/ports/store.ts';
import type { RunRow } from '../core/rows.ts';
import { readDatasetFacts } from './queries/read-datasets.ts';
import { runsBySubmission } from './queries/read-runs.ts';
import { lockPlanning } from './queries/write-rows.ts';
import type { WriteScope } from './write-scope.ts';

export class PlanAnswers {
  readonly #runs: ReadonlyMap<string, RunRow | undefined>;
  readonly #facts: ReadonlyMap<string, DatasetFactRow[]>;

  constructor(
    questions: readonly PlanQuestions[],
    runs: readonly RunRow[],
    facts: readonly DatasetFactRow[],
  ) {
    const byKey = new Map<string, RunRow | undefined>(questions.map((one) => [one.submissionKey, undefined]));
    for (const run of runs) byKey.set(run.submissionKey, run);
    this.#runs = byKey;
    const bySignature = new Map<string, DatasetFactRow[]>();
    for (const { signatures } of questions)
      for (const signature of signatures) bySignature.set(signature, []);
    for (const fact of facts) bySignature.get(fact.signature)?.push(fact);
    this.#facts = bySignature;
  }

  hasRun(key: string): boolean {
    return this.#runs.has(key);
  }

  run(key: string): RunRow | undefined {
    return this.#runs.get(key);
  }

  hasFacts(signatures: readonly string[]): boolean {
    return signatures.every((signature) => this.#facts.has(signature));
  }

  facts(signatures: readonly string[], realms: readonly string[]): DatasetFactRow[] {
    const rows = [...new Set(signatures)].flatMap((signature) => this.#facts.get(signature) ?? []);
    return rows.filter((row) => realms.includes(row.realm)).sort((a, b) => a.id - b.id);
  }
}

/** Asks the questions in one go, behind a statement that waits for the planners' lock. */
export async function askTogether(
  scope: WriteScope,
  questions: readonly PlanQuestions[],
): Promise<PlanAnswers> {
  const [, runs, facts] = await Promise.all([
    lockPlanning(scope),
    runsBySubmission(
      scope.session,
      questions.map((one) => one.submissionKey),
    ),
    readDatasetFacts(scope.session, [...new Set(questions.flatMap((one) => one.signatures))]),
  ]);
  return new PlanAnswers(questions, runs, facts);
}

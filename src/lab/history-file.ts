// The history file: JSON Lines. The first line names the format, then come datasets and runs, each after what it refers to.
//   {"format":"varve-history","version":1,"origin":{"family":"zipf","seed":7}}
//   {"dataset":"a1","bytes":4096,"seconds":2.5,"parents":[]}
//   {"run":1,"at":0,"results":["a1"],"workflow":"w","user":"u"}
// A run's results stand for all of their ancestors. docs/lab-history.md describes every field.
import { isObject, type Json, type JsonObject } from '../core/json.ts';
import { labErrors } from './error-codes.ts';
import { type History, type HistoryOrigin, parentsOf } from './history.ts';
import { HistoryBuilder } from './history-builder.ts';
import { formOf, type LineForm, lineForms, problemsOf } from './history-line.ts';

export const historyVersion = 1;

/** The file's lines, without line ends. Datasets come just before the first run that wants them. */
export function* writeHistory(history: History): Generator<string> {
  const { family, seed, parameters } = history.origin;
  const origin = { family, ...(seed === undefined ? {} : { seed }), ...(parameters ? { parameters } : {}) };
  yield JSON.stringify({ format: 'varve-history', version: historyVersion, origin });
  const label = (d: number) => history.labels[d]!;
  let written = 0;
  for (const [j, run] of history.runs.entries()) {
    const end = history.runs[j + 1]?.firstNew ?? history.labels.length;
    for (; written < end; written += 1) {
      yield JSON.stringify({
        dataset: label(written),
        bytes: history.sizeBytes[written],
        seconds: history.computeSeconds[written],
        parents: Array.from(parentsOf(history, written), label),
      });
    }
    const { at, workflow, user } = run;
    yield JSON.stringify({ run: j + 1, at, results: Array.from(run.results, label), workflow, user });
  }
}

/** Reads a file's text; everything wrong is reported at once, with file and line. */
export function readHistory(text: string, file: string): History {
  const reader = new HistoryReader(file);
  text.split('\n').forEach((line, i) => {
    if (line.trim() !== '') reader.take(line, i + 1);
  });
  return reader.finish();
}

const mostProblems = 20;

class HistoryReader {
  readonly #file: string;
  readonly #builder = new HistoryBuilder();
  readonly #numbers = new Map<string, number>();
  readonly #problems: ReturnType<typeof labErrors.LAB_BAD_HISTORY>[] = [];
  #origin: HistoryOrigin | undefined;
  #lines = 0;

  constructor(file: string) {
    this.#file = file;
  }

  take(line: string, number: number): void {
    this.#lines += 1;
    if (this.#problems.length >= mostProblems) return;
    let value: Json;
    try {
      value = JSON.parse(line);
    } catch (error) {
      this.#wrong(number, `is not JSON: ${(error as Error).message}`);
      return;
    }
    const form = isObject(value) ? formOf(value) : undefined;
    if (!isObject(value) || !form) {
      this.#wrong(
        number,
        `is none of: ${Object.values(lineForms)
          .map((f) => f.summary)
          .join(', ')}`,
      );
      return;
    }
    const problems = problemsOf(form, value);
    for (const problem of problems) this.#wrong(number, problem);
    if (problems.length === 0) this.#accept(form, value, number);
  }

  finish(): History {
    if (this.#lines === 0) this.#wrong(1, 'the file is empty');
    const [first, ...others] = this.#problems;
    if (first) throw labErrors.LAB_BAD_HISTORY.with({ place: first.place, problems: others }, first.message);
    return this.#builder.build(this.#origin!);
  }

  #accept(form: LineForm, value: JsonObject, number: number): void {
    if (form === lineForms.header) this.#header(value, number);
    else if (!this.#origin)
      this.#wrong(number, 'the first line must be {"format":"varve-history","version":1,…}');
    else if (form === lineForms.dataset) this.#dataset(value, number);
    else this.#run(value, number);
  }

  #header(value: JsonObject, number: number): void {
    if (this.#origin) this.#wrong(number, 'the format is named twice');
    if (value.version !== historyVersion) {
      this.#wrong(number, `version ${value.version} is not known here; this program reads ${historyVersion}`);
    }
    const origin = (value.origin ?? {}) as JsonObject;
    this.#origin = { family: 'site', ...origin } as HistoryOrigin;
  }

  #dataset(value: JsonObject, number: number): void {
    const label = value.dataset as string;
    if (this.#numbers.has(label)) {
      this.#wrong(number, `dataset "${label}" was described before`);
      return;
    }
    const parents = this.#resolve((value.parents ?? []) as readonly string[], number);
    const sizeBytes = value.bytes as number;
    const computeSeconds = value.seconds as number;
    this.#numbers.set(label, this.#builder.addDataset({ label, sizeBytes, computeSeconds, parents }));
  }

  #run(value: JsonObject, number: number): void {
    const results = this.#resolve(value.results as readonly string[], number);
    if (results.length === 0) return;
    this.#builder.addRun({
      results,
      ...(value.at === undefined ? {} : { at: value.at as number }),
      workflow: value.workflow as string | undefined,
      user: value.user as string | undefined,
    });
  }

  #resolve(labels: readonly string[], number: number): number[] {
    return labels.flatMap((label) => {
      const known = this.#numbers.get(label);
      if (known !== undefined) return [known];
      this.#wrong(number, `dataset "${label}" was not described before`);
      return [];
    });
  }

  #wrong(line: number, what: string): void {
    const place = { file: this.#file, line, column: 1 };
    this.#problems.push(labErrors.LAB_BAD_HISTORY.with({ place }, what));
  }
}

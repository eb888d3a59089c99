// What a part found, as JSON: bench/results/<part>.json. A point that is measured again replaces the old one, so parts can be measured piece
// by piece; `npm run bench -- report` makes the page from all of them.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Machine, machineFacts } from './machine.ts';

/** One engine on one workload, with every round; or why there is no figure. */
export interface Point {
  readonly workload: string;
  readonly scenario: string;
  readonly size: number;
  readonly engine: string;
  readonly seconds: readonly number[];
  readonly peakMegabytes: number;
  /** Further figures, such as bytes that were copied. */
  readonly more?: Readonly<Record<string, number>>;
  /** Why it was not measured, or did not succeed. */
  readonly missing?: string;
}

export interface PartResult {
  readonly part: string;
  readonly title: string;
  readonly command: string;
  readonly measuredAt: string;
  readonly machine: Machine;
  readonly versions: Readonly<Record<string, string>>;
  readonly notes: Readonly<Record<string, string>>;
  readonly points: readonly Point[];
}

/** What a part printed that has tables of its own. */
export interface PrintedResult {
  readonly part: string;
  readonly title: string;
  readonly command: string;
  readonly measuredAt: string;
  readonly machine: Machine;
  readonly printed: readonly string[];
}

export type Result = PartResult | PrintedResult;

export const hasPoints = (result: Result): result is PartResult => 'points' in result;

export const resultsFolder = join(import.meta.dirname, '..', 'results');
const keyOf = (point: Point): string => [point.workload, point.scenario, point.size, point.engine].join(' ');

export function readResults(folder = resultsFolder): Result[] {
  mkdirSync(folder, { recursive: true });
  const files = readdirSync(folder).filter((name) => name.endsWith('.json'));
  return files.sort().map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')));
}

/** Adds points to a part's file. */
export function recordPoints(
  about: Pick<PartResult, 'part' | 'title' | 'command'>,
  engines: readonly {
    readonly name: string;
    readonly note?: string | undefined;
    version(): string | undefined;
  }[],
  points: readonly Point[],
): void {
  const before = readResults()
    .filter(hasPoints)
    .find(({ part }) => part === about.part);
  const all = new Map([...(before?.points ?? []), ...points].map((point) => [keyOf(point), point]));
  const versions = { ...before?.versions };
  const notes = { ...before?.notes };
  for (const engine of engines) {
    versions[engine.name] = engine.version() ?? 'not installed';
    if (engine.note) notes[engine.name] = engine.note;
  }
  const result: PartResult = {
    ...about,
    measuredAt: new Date().toISOString(),
    machine: machineFacts(),
    versions,
    notes,
    points: [...all.values()],
  };
  mkdirSync(resultsFolder, { recursive: true });
  writeFileSync(join(resultsFolder, `${about.part}.json`), `${JSON.stringify(result, null, 1)}\n`);
}

// `npm run bench -- report`: gathers what was measured here into docs/benchmarks.json, and writes the page and the pictures from that. A part that
// was not measured here keeps the figures that are there already.
import { globSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Result, readResults } from '../harness/results.ts';
import { renderPage } from './render-page.ts';

const docs = join(import.meta.dirname, '..', '..', 'docs');
const kept = join(docs, 'benchmarks.json');

/** The later result of every part, of those that are kept and those that were measured here. */
export function newestOf(results: readonly Result[]): Result[] {
  const newest = new Map<string, Result>();
  for (const result of results.toSorted((a, b) => a.measuredAt.localeCompare(b.measuredAt)))
    newest.set(result.part, result);
  return [...newest.values()].sort((a, b) => a.part.localeCompare(b.part));
}

export function writeReport(): void {
  const results = newestOf([...JSON.parse(readFileSync(kept, 'utf8')), ...readResults()]);
  const { text, pictures } = renderPage(results);
  for (const old of globSync('pictures/bench-*.svg', { cwd: docs })) rmSync(join(docs, old));
  for (const [name, picture] of Object.entries(pictures))
    writeFileSync(join(docs, 'pictures', name), picture);
  writeFileSync(kept, `${JSON.stringify(results, null, 1)}\n`);
  writeFileSync(join(docs, 'benchmarks.md'), text);
  console.log(`docs/benchmarks.md: ${results.length} parts, ${Object.keys(pictures).length} pictures`);
}

// Reading workflow documents: `npm run bench -- language [--large]`. Each size runs in a process of its own; the time to load, check and
// lower a document is given beside that of JSON.parse alone on the same text, because their ratio does not depend on
// how busy the machine is. `--large` adds a million actions.
import { execFileSync } from 'node:child_process';
import { loadVarveWorkflow } from '../src/languages/varve/load-workflow.ts';

const sizes = [1_000, 10_000, 100_000, ...(process.argv.includes('--large') ? [1_000_000] : [])];
const own = process.argv.indexOf('--size');

if (own > 0) await measure(Number(process.argv[own + 1]));
else {
  console.log('actions       text    parse     load  ratio  per action  peak memory');
  for (const size of sizes)
    process.stdout.write(execFileSync(process.execPath, [import.meta.filename, '--size', String(size)]));
}

/** A chain of small actions, written as people write them. */
function documentText(count: number): string {
  const actions: string[] = [];
  for (let id = 1; id <= count; id += 1) {
    const parents = id === 1 ? [] : [{ id: id - 1 }];
    const command = `echo ${id} > "$VARVE_OUTPUT/f"`;
    actions.push(
      JSON.stringify(
        { id, name: `action ${id}`, type: 'command-line', parentActions: parents, command },
        null,
        1,
      ),
    );
  }
  return `{"name": "chain", "actions": [${actions.join(',\n')}]}`;
}

async function measure(count: number): Promise<void> {
  const text = Buffer.from(documentText(count)).toString('utf8');
  const parse: number[] = [];
  const load: number[] = [];
  for (let round = 0; round < 3; round += 1) {
    parse.push(await milliseconds(async () => void JSON.parse(text)));
    load.push(await milliseconds(() => loadVarveWorkflow({ path: '/nowhere/chain.json', text })));
  }
  const [parseMs, loadMs] = [median(parse), median(load)];
  const columns = [
    String(count).padStart(7),
    `${(text.length / 1e6).toFixed(1)} MB`.padStart(9),
    `${parseMs.toFixed(0)} ms`.padStart(8),
    `${loadMs.toFixed(0)} ms`.padStart(8),
    (loadMs / parseMs).toFixed(1).padStart(6),
    `${((loadMs * 1000) / count).toFixed(1)} µs`.padStart(11),
    `${(process.resourceUsage().maxRSS / 1000).toFixed(0)} MB`.padStart(12),
  ];
  console.log(columns.join(' '));
}

async function milliseconds(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1]!;
}

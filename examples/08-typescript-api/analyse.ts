// Builds a workflow, runs it in this process, waits for its end, reads the result and says what was computed.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { command, explainRun, open, runResults, workflow } from 'varve';

const upTo = Number(process.argv[2] ?? 10);

const numbers = command('numbers', {
  command: ['seq', '${params.upTo}'],
  outputs: { list: 'list.txt' },
  stdout: 'list.txt',
});

// One element for each line of the list: a longer list computes only the new ones.
const square = command('square', {
  command: ['expr', '${inputs.n}', '*', '${inputs.n}'],
  inputs: { n: numbers.output('list', { as: 'lines' }) },
  scatter: 'n',
  outputs: { value: 'value.txt' },
  stdout: 'value.txt',
});

const sum = command('sum', {
  command: ['awk', '{ s += $1 } END { print s }', '${inputs.values[*]}'],
  inputs: { values: square.output('value') },
  stdout: 'total.txt',
});

const document = workflow('sum of squares', { params: { upTo }, actions: [sum] });

const varve = await open();
try {
  const loaded = await varve.load({ document, folder: import.meta.dirname });
  await varve.work();
  const { runId } = await varve.submit(loaded);
  const { state } = await varve.wait(runId);
  console.log(`run ${runId} ${state.toLowerCase()}`);

  const [folder] = (await runResults(varve, runId)).get('sum') ?? [];
  if (folder !== undefined) console.log(`sum: ${readFileSync(join(folder, 'total.txt'), 'utf8').trim()}`);

  const squares = (await explainRun(varve.store.view, runId)).filter(({ key }) => key.startsWith('square['));
  const computed = squares.filter((action) => action.state === 'FINISHED');
  console.log(`squares: ${squares.length}, of which computed now: ${computed.length}`);
} finally {
  await varve.close();
}

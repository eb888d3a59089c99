import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { command, workflow } from '../../../src/languages/varve/builder.ts';
import { loadVarveWorkflow } from '../../../src/languages/varve/load-workflow.ts';
import { runWorkflow, temporaryFolder } from './run-document.ts';

const numbers = command('numbers', {
  command: 'seq "$VARVE_INPUT_N" > "$VARVE_OUTPUT_LIST"',
  inputs: { n: '${params.n}' },
  outputs: { list: 'list.txt' },
});
const squares = command('squares', {
  command: 'expr "$VARVE_INPUT_I" \\* "$VARVE_INPUT_I" > "$VARVE_OUTPUT/square"',
  inputs: { i: numbers.output('list', { as: 'lines' }) },
  outputs: { square: 'square' },
  scatter: 'i',
});
const sum = command('sum', {
  command: ['awk', '{ s += $1 } END { print s }', '${inputs.squares[*]}'],
  inputs: { squares: squares.output('square') },
  parentActions: [numbers],
  stdout: 'sum.txt',
});

test('steps refer to each other as objects and become a plain document with their ancestors', () => {
  const document = workflow('sum of squares', { params: { n: 4 }, actions: [sum] });
  assert.deepEqual(
    document.actions.map((action) => action.id),
    ['numbers', 'squares', 'sum'],
  );
  assert.deepEqual(document.actions[1]!.inputs, { i: { from: 'numbers', output: 'list', as: 'lines' } });
  assert.deepEqual(JSON.parse(JSON.stringify(document)), document);
});

test('a built workflow loads, from the object and from its JSON alike, and runs', async (t) => {
  const folder = await temporaryFolder(t);
  const document = workflow('sum of squares', { params: { n: 4 }, actions: [sum] });
  const built = await loadVarveWorkflow({ document, folder });
  const read = await loadVarveWorkflow({ path: join(folder, 'w.json'), text: JSON.stringify(document) });
  assert.deepEqual(read, built);
  const ran = await runWorkflow(built, folder);
  assert.equal(readFileSync(join(ran.datasets.get('sum')!.path, 'sum.txt'), 'utf8'), '30\n');
});

test('outputs that a step does not declare are refused by the compiler', () => {
  // @ts-expect-error there is no output of this name
  assert.equal(numbers.output('lsit').output, 'lsit');
  const plain = command('plain', { command: 'true' });
  // @ts-expect-error this step declares no outputs
  assert.equal(plain.output('anything').output, 'anything');
});

test('a chain of 20,000 steps is put in order without recursion', () => {
  let last = command(0, { command: 'true' });
  for (let id = 1; id < 20_000; id += 1) last = command(id, { command: 'true', inputs: { before: last } });
  const { actions } = workflow('chain', { actions: [last] });
  assert.equal(actions.length, 20_000);
  assert.equal(actions[0]!.id, 0);
});

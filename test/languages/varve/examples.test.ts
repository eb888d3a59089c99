import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Json } from '../../../src/core/json.ts';
import { loadVarveWorkflow } from '../../../src/languages/varve/load-workflow.ts';
import { type RanWorkflow, runWorkflow, temporaryFolder } from './run-document.ts';

const examples = join(import.meta.dirname, '../../../examples');

async function run(
  name: string,
  folder: string,
  parameters: Record<string, Json> = {},
): Promise<RanWorkflow> {
  const path = join(examples, name);
  const workflow = await loadVarveWorkflow({ path, text: readFileSync(path, 'utf8') }, { parameters });
  const ran = await runWorkflow(workflow, folder);
  assert.deepEqual([...ran.failures], []);
  return ran;
}

function read(ran: RanWorkflow, key: string, name: string): string {
  return readFileSync(join(ran.datasets.get(key)!.path, name), 'utf8');
}

test('01 hello greets and counts', async (t) => {
  const ran = await run('01-hello/workflow.json', await temporaryFolder(t));
  assert.equal(read(ran, 'greet', 'words.txt'), 'hello\nworld\n');
  assert.equal(read(ran, 'count', 'lines.txt').trim(), '2');
});

test('02 files and environment selects by the limit and sounds the alarm only when there is cause', async (t) => {
  const ran = await run('02-files-and-environment/workflow.yaml', await temporaryFolder(t));
  assert.equal(read(ran, 'select', 'rows.csv'), 'east,23\nsouth,31\n');
  assert.equal(read(ran, 'alarm[when]', 'alarm.txt'), '2 measurements above the limit\n');
  const quiet = await run('02-files-and-environment/workflow.yaml', await temporaryFolder(t), {
    limit: '40',
  });
  assert.match(quiet.skipped.get('alarm')!, /inputs\.count > 0/);
});

test('04 scatter ranks the chapters', async (t) => {
  const ran = await run('04-scatter/workflow.yaml', await temporaryFolder(t));
  assert.equal(read(ran, 'rank', 'ranking.tsv'), '# The lake\t23\n# The stream\t16\n# The core\t9\n');
});

test('every example that is a workflow of this language loads', async () => {
  for (const name of globSync('*/workflow.{json,yaml,yml}', { cwd: examples })) {
    const path = join(examples, name);
    await loadVarveWorkflow({ path, text: readFileSync(path, 'utf8') });
  }
});

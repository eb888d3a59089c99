import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { signNodes } from '../../../src/core/sign-nodes.ts';
import type { NodeDefinition } from '../../../src/core/workflow.ts';
import type { WorkflowDocument } from '../../../src/languages/varve/document.ts';
import { actionFields } from '../../../src/languages/varve/field-table.ts';
import { loadVarveWorkflow } from '../../../src/languages/varve/load-workflow.ts';
import { temporaryFolder } from './run-document.ts';

async function filesIn(t: TestContext, files: Readonly<Record<string, string>>): Promise<string> {
  const folder = await temporaryFolder(t);
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(join(folder, name, '..'), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  return folder;
}

async function nodesOf(document: WorkflowDocument, folder = '/nowhere'): Promise<readonly NodeDefinition[]> {
  return (await loadVarveWorkflow({ document, folder })).nodes;
}

async function signatures(document: WorkflowDocument, folder?: string): Promise<Record<string, string>> {
  const signed = signNodes(await nodesOf(document, folder));
  return Object.fromEntries([...signed].map(([key, { signature }]) => [key, signature]));
}

test('the signatures of these actions never change; if one does, the scheme must', async (t) => {
  const folder = await filesIn(t, {
    'tools/count.sh': 'wc -l "$1"\n',
    'genes.csv': 'a,b\n',
    'lists/x': '1\n',
  });
  const document: WorkflowDocument = {
    name: 'vectors',
    actions: [
      { id: 1, command: 'echo hello > "$VARVE_OUTPUT/hello.txt"' },
      {
        id: 2,
        command: 'cat "$VARVE_INPUT_1/hello.txt" > "$VARVE_OUTPUT/copy.txt"',
        parentActions: [{ id: 1 }],
      },
      {
        id: 'count',
        command: ['sh', 'tools/count.sh', '${inputs.table}', '--n=${inputs.n}', '${inputs.l[*]}'],
        inputs: {
          table: { file: 'genes.csv' },
          n: 3,
          l: ['a', 'b'],
          hello: { from: 1, files: '*.txt' },
          lists: { directory: 'lists' },
        },
        outputs: { total: 'total.txt' },
        stdout: 'total.txt',
        env: { LC_ALL: 'C', CORES: '${resources.cores}' },
        container: { image: 'debian:12', digest: 'sha256:00' },
        successCodes: [0, 1],
      },
      {
        id: 'each',
        command: ['echo', '${inputs.v}'],
        inputs: { v: { from: 'count', output: 'total', as: 'lines' }, limit: 2 },
        scatter: 'v',
        when: 'inputs.limit > 1',
      },
    ],
  };
  assert.deepEqual(await signatures(document, folder), {
    1: '3731bbb3a4d39343e0fa0d958d5e0b2a86edec45c5d9d4f1e9ca72f28f9aab35',
    2: 'e995d1686a042efab5fe0c986e73c1e69586b7498d680b4373f3194eab708d43',
    count: '46e306e91007ae4be27e0175e289dbc2624d1633c5854ed956cb0ce5c26bd068',
    each: '2cb8532ec6c409656e89d6875cea4fceb95df996861f031beeff76b76856d0de',
  });
});

test('the table says for every field whether it is inside identity, and it tells the truth', async (t) => {
  const folder = await filesIn(t, { 'a.txt': 'a', 'b.txt': 'b', 'run.sh': 'x' });
  const base = {
    id: 'x',
    command: ['cat', '${inputs.f}'],
    inputs: { f: { file: 'a.txt' }, list: [1, 2] },
    outputs: { o: 'o' },
  };
  const changes: Record<keyof typeof actionFields, object> = {
    id: { id: 'y' },
    name: { name: 'another' },
    description: { description: 'text' },
    type: {},
    parentActions: { parentActions: ['p'] },
    forceComputation: { forceComputation: true },
    isManaged: { isManaged: false, outputPath: 'o' },
    outputPath: { outputPath: 'o' },
    command: { command: ['cat', '-n', '${inputs.f}'] },
    inputs: { inputs: { ...base.inputs, f: { file: 'b.txt' } } },
    outputs: { outputs: { o: 'other' } },
    stdin: { stdin: 'f' },
    stdout: { stdout: 'o' },
    stderr: { stderr: 'o' },
    programs: { programs: ['run.sh'] },
    successCodes: { successCodes: [0, 1] },
    when: { when: 'true' },
    scatter: { scatter: 'list' },
    additionalInput: { additionalInput: [{ value: 1 }] },
    configurationParameters: { configurationParameters: [{ value: 1 }] },
    resources: { resources: { cores: 4 } },
    retries: { retries: 3 },
    timeout: { timeout: '1h' },
    env: { env: { A: '1' } },
    container: { container: 'debian' },
    network: { network: true },
    keep: { keep: 'never' },
    priority: { priority: 9 },
  };
  const computed = async (change: object) => {
    const document = {
      name: 'x',
      actions: [
        { id: 'p', command: 'x' },
        { ...base, ...change },
      ],
    } as WorkflowDocument;
    const node = (await nodesOf(document, folder))[1]!;
    if (!node.expands) return signNodes([node], () => 'parent').get(node.key)!.signature;
    const { expandAction } = await import('../../../src/languages/varve/expand.ts');
    const { nodes } = await expandAction().expand!(node, []);
    return signNodes(nodes, () => 'parent').get(nodes[0]!.key)!.signature;
  };
  const original = await computed({});
  for (const [field, { identity }] of Object.entries(actionFields)) {
    if (field === 'type') continue;
    const same = (await computed(changes[field as keyof typeof changes])) === original;
    assert.equal(same ? 'outside' : 'inside', identity, field);
  }
});

test('places do not count: the same files elsewhere make the same dataset, other contents another', async (t) => {
  const files = { 'tools/run.py': 'print(1)', 'data/t.csv': '1', 'dir/a': 'a' };
  const document: WorkflowDocument = {
    name: 'x',
    actions: [
      {
        id: 1,
        command: 'python3 tools/run.py',
        inputs: { t: { file: 'data/t.csv' }, d: { directory: 'dir' } },
      },
    ],
  };
  const here = await signatures(document, await filesIn(t, files));
  assert.deepEqual(await signatures(document, await filesIn(t, files)), here);
  for (const name of Object.keys(files)) {
    const changed = await filesIn(t, { ...files, [name]: 'changed' });
    assert.notDeepEqual(await signatures(document, changed), here, name);
  }
});

test('a moved or renamed input: the last name counts, the folder does not', async (t) => {
  const folder = await filesIn(t, { 'a/t.csv': '1', 'b/t.csv': '1', 'b/u.csv': '1' });
  const of = (file: string) =>
    signatures({ name: 'x', actions: [{ id: 1, command: 'x', inputs: { t: { file } } }] }, folder);
  assert.deepEqual(await of('a/t.csv'), await of('b/t.csv'));
  assert.notDeepEqual(await of('a/t.csv'), await of('b/u.csv'));
});

test('only parameters that an action uses are in its identity', async () => {
  const flow = (n: number, m: number): WorkflowDocument => ({
    name: 'x',
    params: { n, m },
    actions: [
      { id: 'n', command: ['echo', '${params.n}'] },
      { id: 'm', command: 'echo $VARVE_INPUT_M', inputs: { m: '${params.m}' } },
    ],
  });
  const [a, b] = [await signatures(flow(1, 1)), await signatures(flow(1, 2))];
  assert.equal(a.n, b.n);
  assert.notEqual(a.m, b.m);
});

test('slots with the names of object members are names like any other', async () => {
  const document: WorkflowDocument = {
    name: 'x',
    actions: [
      { id: 'constructor', command: 'x' },
      {
        id: 'toString',
        command: 'x',
        parentActions: ['constructor'],
        inputs: { valueOf: 1 },
        env: { hasOwnProperty: 'x' },
      },
    ],
  };
  assert.equal(Object.keys(await signatures(document)).length, 2);
});

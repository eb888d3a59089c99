import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { formatError, VarveError } from '../../src/core/errors.ts';
import { readWfFormat } from '../../src/lab/wfformat.ts';

const small = {
  name: 'small',
  schemaVersion: '1.5',
  workflow: {
    specification: {
      tasks: [
        { name: 'join', id: 'c', parents: ['a', 'b'], children: [], outputFiles: ['c.txt'] },
        { name: 'make', id: 'a', parents: [], children: ['c'], outputFiles: ['a.txt', 'a.log'] },
        { name: 'make', id: 'b', parents: [], children: ['c'], outputFiles: [] },
      ],
      files: [
        { id: 'a.txt', sizeInBytes: 100 },
        { id: 'a.log', sizeInBytes: 5 },
        { id: 'c.txt', sizeInBytes: 7 },
      ],
    },
    execution: {
      makespanInSeconds: 6,
      executedAt: '2026-01-01T00:00:00Z',
      tasks: [
        { id: 'a', runtimeInSeconds: 1 },
        { id: 'b', runtimeInSeconds: 2 },
        { id: 'c', runtimeInSeconds: 3 },
      ],
    },
  },
};

type Small = typeof small;

function messageOf(change: (document: Small) => void): string {
  const document = structuredClone(small);
  change(document);
  try {
    readWfFormat(JSON.stringify(document, null, 2), 'w.json');
  } catch (error) {
    assert.ok(error instanceof VarveError);
    return formatError(error);
  }
  return 'none';
}

test('tasks come parents first, with the sizes of their outputs and their run times', () => {
  const { name, tasks } = readWfFormat(JSON.stringify(small), 'w.json');
  assert.equal(name, 'small');
  assert.deepEqual(
    tasks.map(({ label, stage, parents, sizeBytes, computeSeconds }) => [
      label,
      stage,
      parents,
      sizeBytes,
      computeSeconds,
    ]),
    [
      ['a', 'make', [], 105, 1],
      ['b', 'make', [], 1, 2],
      ['c', 'join', [0, 1], 7, 3],
    ],
  );
});

test('where a name only repeats the id, the program or the beginning of the id is the stage', () => {
  const document = structuredClone(small);
  const [first, second, third] = document.workflow.specification.tasks;
  Object.assign(first!, { id: 'sort_ID0000007', name: 'sort_ID0000007' });
  Object.assign(second!, { name: 'a' });
  Object.assign(third!, { name: undefined });
  Object.assign(document.workflow.execution.tasks[0]!, { command: { program: 'cat' } });
  const { tasks } = readWfFormat(JSON.stringify(document), 'w.json');
  assert.deepEqual(
    tasks.map(({ stage }) => stage),
    ['cat', 'b', 'sort'],
  );
});

test('the example instances can all be read', () => {
  const files = globSync('examples/lab/instances/*.json');
  assert.ok(files.length >= 6);
  for (const file of files) assert.ok(readWfFormat(readFileSync(file, 'utf8'), file).tasks.length > 10);
});

test('mistakes are reported with file, line and column', () => {
  assert.match(
    messageOf((d) => Object.assign(d, { schemaVersion: '1.2' })),
    /^w\.json:3:20: schemaVersion must be one of 1\.5, 1\.6/,
  );
  assert.match(
    messageOf((d) => d.workflow.specification.tasks[0]!.parents.push('z' as never)),
    /^w\.json:\d+:\d+: workflow\.specification\.tasks\.0\.parents\.2 names no task: "z"/,
  );
  assert.match(
    messageOf((d) => d.workflow.specification.tasks[1]!.parents.push('c' as never)),
    /depends on itself/,
  );
  assert.match(
    messageOf((d) => Object.assign(d.workflow, { execution: undefined })),
    /workflow\.execution must be an object/,
  );
  assert.match(
    messageOf((d) => Object.assign(d.workflow.specification.files[1]!, { sizeInBytes: -1 })),
    /files\.1\.sizeInBytes must be a number of at least 0/,
  );
  assert.match(
    messageOf((d) => d.workflow.specification.tasks[2]!.outputFiles.push('none')),
    /outputFiles\.0 names no file/,
  );
});

test('text that is not JSON is refused with its place', () => {
  assert.throws(
    () => readWfFormat('{\n  "name": "x",\n  oops\n}', 'w.json'),
    (error) => error instanceof VarveError && error.place?.file === 'w.json' && error.place.line >= 1,
  );
});

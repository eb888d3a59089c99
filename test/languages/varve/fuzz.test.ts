import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { stringify } from 'yaml';
import { formatError, VarveError } from '../../../src/core/errors.ts';
import type { Json } from '../../../src/core/json.ts';
import { loadVarveWorkflow } from '../../../src/languages/varve/load-workflow.ts';
import { validDocument } from './document-arbitrary.ts';

/** Loads a text; whatever it is, the outcome is a definition or a VarveError that can be printed. */
async function tolerate(path: string, text: string): Promise<void> {
  try {
    const { nodes } = await loadVarveWorkflow({ path, text });
    assert.ok(nodes.length > 0);
  } catch (error) {
    if (!(error instanceof VarveError)) throw error;
    assert.notEqual(error.kind, 'bug');
    assert.ok(formatError(error).length > 0);
    for (const { place } of error.problems) if (place) assert.ok(place.line >= 1 && place.column >= 1);
  }
}

const names = fc.constantFrom('/nowhere/w.json', '/nowhere/w.yaml');

test('arbitrary text never gives anything but a VarveError', async () => {
  const yamlish = fc
    .array(
      fc.constantFrom(
        'name:',
        ' ',
        '\n',
        '- ',
        '[',
        ']',
        '{',
        '}',
        '&a ',
        '*a',
        '|',
        '>',
        '"',
        "'",
        ': ',
        ',',
        '#',
        '!t ',
        '? ',
        '<<: ',
        'actions:',
        'id: 1',
        '\t',
        '---',
        '...',
        '%',
        '${',
        '\u0000',
        '\ud800',
      ),
    )
    .map((pieces) => pieces.join(''));
  const text = fc.oneof(fc.string(), fc.string({ unit: 'binary' }), yamlish, fc.json());
  await fc.assert(fc.asyncProperty(names, text, tolerate), { numRuns: 1000 });
});

test('arbitrary values in the place of documents and actions never give anything but a VarveError', async () => {
  const value = fc.jsonValue({ maxDepth: 4 }).map((json) => json as Json);
  const key = fc.constantFrom(
    'id',
    'command',
    'inputs',
    'outputs',
    'scatter',
    'when',
    'parentActions',
    'env',
    '__proto__',
    'constructor',
    'stdin',
    'retries',
    'container',
    'type',
  );
  const action = fc.dictionary(key, value);
  const document = fc.record(
    {
      name: fc.constant('x'),
      actions: fc.oneof(value, fc.array(fc.oneof(action, value))),
      params: value,
      defaults: value,
    },
    { requiredKeys: ['name'] },
  );
  await fc.assert(
    fc.asyncProperty(names, document, (path, json) => tolerate(path, JSON.stringify(json))),
    { numRuns: 1000 },
  );
});

test('a right document with some characters changed never gives anything but a VarveError', async () => {
  const edit = fc.tuple(
    fc.nat(),
    fc.nat({ max: 3 }),
    fc.oneof(
      fc.string({ maxLength: 3 }),
      fc.constantFrom('{', '}', '"', '${inputs.a}', '\n', ':', '..', '[*]'),
    ),
  );
  await fc.assert(
    fc.asyncProperty(
      names,
      validDocument,
      fc.array(edit, { maxLength: 4 }),
      async (path, document, edits) => {
        let text = path.endsWith('json') ? JSON.stringify(document) : stringify(document);
        for (const [at, length, inserted] of edits) {
          const from = at % (text.length + 1);
          text = text.slice(0, from) + inserted + text.slice(from + length);
        }
        await tolerate(path, text);
      },
    ),
    { numRuns: 1000 },
  );
});

test('bombs are refused: deep nesting, exploding aliases, endless text', async () => {
  const codes = async (path: string, text: string): Promise<string | undefined> => {
    const error = await loadVarveWorkflow({ path, text }).catch((refused: VarveError) => refused);
    return error instanceof VarveError ? error.problems[0]?.code : 'accepted';
  };
  assert.equal(await codes('w.json', '['.repeat(200_000) + ']'.repeat(200_000)), 'DOCUMENT_TOO_DEEP');
  assert.equal(await codes('w.json', '['.repeat(200_000)), 'DOCUMENT_SYNTAX');
  assert.match((await codes('w.yaml', `a: ${'['.repeat(20_000)}`)) ?? '', /^DOCUMENT_(TOO_DEEP|SYNTAX)$/);
  assert.match(
    (await codes('w.yaml', `a: ${'{a: '.repeat(5_000)}1${'}'.repeat(5_000)}`)) ?? '',
    /^DOCUMENT_TOO_DEEP$/,
  );
  const laughs = ['a0: &a0 [x, x, x, x, x, x, x, x, x, x]'];
  for (let i = 1; i < 12; i += 1)
    laughs.push(
      `a${i}: &a${i} [${Array(10)
        .fill(`*a${i - 1}`)
        .join(', ')}]`,
    );
  assert.equal(await codes('w.yaml', `${laughs.join('\n')}\n`), 'DOCUMENT_ALIASES');
  assert.equal(await codes('w.yaml', `name: ${'x'.repeat(17 * 2 ** 20)}`), 'DOCUMENT_TOO_LARGE');
  assert.equal(await codes('w.yaml', 'name: x\na: &a [*a]\n'), 'DOCUMENT_TOO_DEEP');
});

test('an anchor that hundreds of actions share is no bomb', async () => {
  const actions = Array.from(
    { length: 500 },
    (_, id) => `  - { id: ${id}, command: x, resources: *big }\n`,
  ).join('');
  const text = `name: x\ndefaults: { resources: &big { cores: 4, memory: 2GB } }\nactions:\n${actions}`;
  const { nodes } = await loadVarveWorkflow({ path: '/nowhere/w.yaml', text });
  assert.equal(nodes[499]!.policy.resources.memoryBytes, 2e9);
});

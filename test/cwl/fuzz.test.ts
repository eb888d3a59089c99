// Malformed documents give VarveErrors: never another exception, never a hang. Seeds are small documents of our own and, when it is at
// hand, the documents of the conformance suite; mutations are of the text and of the structure.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { parse, stringify } from 'yaml';
import { VarveError } from '../../src/core/errors.ts';
import type { JsonObject } from '../../src/core/json.ts';
import { parseTemplate } from '../../src/languages/cwl/expressions/template.ts';
import { loadDocument, loadJob, lowerCwlWorkflow, urlOfPath } from '../../src/languages/cwl/index.ts';
import { parseSource } from '../../src/languages/cwl/load/parse-source.ts';
import { toJson } from '../../src/languages/cwl/load/source-node.ts';
import { Ontology } from '../../src/languages/cwl/values/ontology.ts';
import { temporaryFolder } from './documents.ts';
import { mostMs, Spoiler, wrongRefusal } from './malformed.ts';

const own = [
  `cwlVersion: v1.2
class: Workflow
requirements: {ScatterFeatureRequirement: {}, InlineJavascriptRequirement: {expressionLib: ["var x = 1;"]}, SchemaDefRequirement: {types: [{name: t, type: record, fields: {a: int}}]}}
inputs: {a: 'string[]', b: {type: t?, default: {a: 1}}}
outputs: {o: {type: Any, outputSource: [s/out, a], linkMerge: merge_flattened, pickValue: all_non_null}}
steps:
  s: {scatter: [x], scatterMethod: dotproduct, when: "$(inputs.x != null)", in: {x: {source: a, valueFrom: $(self)}}, out: [out], run: {class: CommandLineTool, baseCommand: echo, inputs: {x: {type: string, inputBinding: {position: 1, prefix: -x}}}, outputs: {out: stdout}}}
`,
  `cwlVersion: v1.0
class: CommandLineTool
hints: {DockerRequirement: {dockerPull: debian}}
requirements: [{class: InitialWorkDirRequirement, listing: [{entryname: a, entry: $(inputs.f)}]}, {class: EnvVarRequirement, envDef: {A: b}}, {class: ResourceRequirement, ramMin: 10}]
inputs: {f: {type: File, default: {class: File, contents: x}, secondaryFiles: [^.b]}, e: {type: {type: enum, symbols: [a]}, default: a}}
outputs: {o: {type: 'File[]', outputBinding: {glob: '*', loadContents: true, outputEval: $(self)}}}
arguments: [a, {valueFrom: $(runtime.cores), position: 2}]
stdin: $(inputs.f.path)
`,
];

const suite = resolve(import.meta.dirname, '../../../shared/cwl-v1.2/tests');
const borrowed = existsSync(suite)
  ? readdirSync(suite)
      .filter((name) => name.endsWith('.cwl'))
      .map((name) => readFileSync(join(suite, name), 'utf8'))
  : [];
const seeds = [...own, ...borrowed];

/** Loads and lowers a text; anything but a result or a VarveError fails the test. */
async function attempt(text: string): Promise<void> {
  const path = join(folder, 'fuzz.cwl');
  writeFileSync(path, text);
  try {
    const { process } = await loadDocument(urlOfPath(path));
    await lowerCwlWorkflow(process, { a: ['x'], b: null, f: { class: 'File', contents: '' } } as JsonObject);
  } catch (error) {
    assert.ok(error instanceof VarveError, `${(error as Error).stack}\n${text}`);
    assert.notEqual(error.kind, 'bug');
  }
}

const folder = temporaryFolder();
const junk = fc.oneof(
  fc.constantFrom(
    '',
    ' ',
    '\n',
    ':',
    '- ',
    '[',
    ']',
    '{',
    '}',
    '"',
    "'",
    '&a ',
    '*a',
    '$(',
    '${',
    ')',
    '#',
    '!!binary ',
    '|',
    '<<: ',
    '\t',
    '\u0000',
    '\u{1F600}',
    '?',
    '__proto__: ',
    '~',
  ),
  fc.string({ maxLength: 4 }),
);

test('texts with a piece changed are loaded or refused', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...seeds),
      fc.nat(),
      fc.nat(20),
      junk,
      async (seed, at, removed, inserted) => {
        const start = at % (seed.length + 1);
        await attempt(seed.slice(0, start) + inserted + seed.slice(start + removed));
      },
    ),
    { numRuns: 300 },
  );
});

const odd: fc.Arbitrary<unknown> = fc.constantFrom<unknown>(
  null,
  true,
  0,
  -1,
  1e300,
  '',
  'x',
  '#x',
  'a/b',
  '$(',
  '$(inputs.a)',
  '${ return 1; }',
  [],
  {},
  [null],
  [[]],
  [{}],
  { class: 'File' },
  { class: 'Workflow' },
  { type: 'array' },
  { type: 'record', fields: 'x' },
  { $import: 'fuzz.cwl' },
  { $include: '/nowhere' },
  { $mixin: 'fuzz.cwl' },
  { id: 'a' },
  { id: 1 },
  ['null', 'File'],
);

test('structures with a part replaced, removed, moved or doubled are loaded or refused', async () => {
  const structured = seeds.flatMap((seed) => {
    try {
      return [parse(seed) as unknown];
    } catch {
      return [];
    }
  });
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...structured),
      fc.array(fc.tuple(fc.nat(), fc.nat(3), odd), { minLength: 1, maxLength: 3 }),
      async (seed, changes) => {
        const copy = structuredClone(seed);
        for (const [at, how, value] of changes) mutate(copy, at, how, value);
        await attempt(JSON.stringify(copy));
        await attempt(stringify(copy, { aliasDuplicateObjects: false }));
      },
    ),
    { numRuns: 250 },
  );
});

function mutate(root: unknown, at: number, how: number, value: unknown): void {
  const places: [Record<string, unknown>, string][] = [];
  const walk = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    for (const key of Object.keys(node)) {
      places.push([node as Record<string, unknown>, key]);
      walk((node as Record<string, unknown>)[key]);
    }
  };
  walk(root);
  if (places.length === 0) return;
  const [holder, key] = places[at % places.length]!;
  const [other, otherKey] = places[(at * 31 + 7) % places.length]!;
  if (how === 0) holder[key] = structuredClone(value);
  else if (how === 1) delete holder[key];
  else if (how === 2) holder[key] = structuredClone(other[otherKey]);
  else holder[`${key}x`] = structuredClone(value);
}

test('input objects of any form are read or refused', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(
        fc.jsonValue().map((value) => JSON.stringify(value)),
        fc.string(),
      ),
      async (text) => {
        const path = join(folder, 'job.yml');
        writeFileSync(path, text);
        await loadJob(urlOfPath(path)).catch((error: unknown) =>
          assert.ok(error instanceof VarveError, String(error)),
        );
      },
    ),
    { numRuns: 200 },
  );
});

test('JSON reads the same by the direct parser as by JSON.parse', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom(undefined, 1), (value, indent) => {
      const text = JSON.stringify(value, null, indent);
      assert.deepEqual(
        JSON.parse(JSON.stringify(toJson(parseSource('file:///x', text).root))),
        JSON.parse(text),
      );
    }),
  );
});

test('templates and ontologies of any form end', () => {
  fc.assert(
    fc.property(
      fc.array(junk).map((parts) => parts.join('')),
      (text) => {
        try {
          parseTemplate(text, 'v1.2');
        } catch (error) {
          assert.ok(error instanceof VarveError);
        }
        const ontology = new Ontology();
        ontology.add(text);
        ontology.add(`<?xml version="1.0"?>${text}`);
        assert.equal(ontology.isKindOf('a', 'b'), false);
      },
    ),
    { numRuns: 300 },
  );
});

const spoiler = new Spoiler(temporaryFolder());
const skip = spoiler.hasSeeds ? false : 'no CWL conformance suite';

// More of them: `npm run fuzz`.
test('spoiled documents of the conformance suite are read, or refused with a place and within a time', {
  skip,
}, async () => {
  for (let number = 0; number < 120; number += 1) {
    const spoiled = spoiler.spoil(number);
    assert.equal(await wrongRefusal(spoiled), undefined, spoiled.what);
  }
});

test('the command says of spoiled documents where each problem is', { skip }, () => {
  const spoiled = Array.from({ length: 30 }, (_, i) => spoiler.spoil(10_000 + i).path);
  const main = resolve(import.meta.dirname, '../../src/cli/main.ts');
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, 'validate', ...spoiled], {
    encoding: 'utf8',
    env: { PATH: process.env.PATH, VARVE_HOME: temporaryFolder() },
    timeout: 30 * mostMs,
  });
  assert.equal(status, 2, stderr);
  assert.doesNotMatch(stdout + stderr, /^ {4}at |\bBUG\b/m);
  const problems = stdout.split('\n').filter((line) => /\[CWL_\w+\]$/.test(line));
  assert.ok(problems.length > 0);
  for (const line of problems) assert.match(line, /^\/[^:]+:\d+:\d+: /);
});

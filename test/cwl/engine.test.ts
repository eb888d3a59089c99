import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { JsonObject } from '../../src/core/json.ts';
import { failure, lower, temporaryFolder, writeFiles } from './documents.ts';
import { type EngineHome, openEngine } from './engine-runner.ts';

const cat = `{class: CommandLineTool, baseCommand: cat, inputs: {f: {type: File, inputBinding: {}}}, outputs: {out: stdout}, stdout: copy.txt}`;
const split = `{class: CommandLineTool, requirements: {ShellCommandRequirement: {}}, arguments: [{valueFrom: "for w in $(inputs.text); do echo $w > $w.txt; done", shellQuote: false}], inputs: {text: string}, outputs: {files: {type: 'File[]', outputBinding: {glob: '*.txt'}}}}`;
const workflow = (inputs: string, outputs: string, steps: string) => `cwlVersion: v1.2
class: Workflow
requirements: {ScatterFeatureRequirement: {}}
inputs: ${inputs}
outputs: ${outputs}
steps:
${steps}`;

async function withEngine(work: (engine: EngineHome) => Promise<void>): Promise<void> {
  const engine = await openEngine(temporaryFolder());
  try {
    await work(engine);
  } finally {
    await engine.close();
  }
}

const text = (file: unknown) => readFileSync(fileURLToPath((file as { location: string }).location), 'utf8');

test('a scatter over files that a step made runs on the engine, and the second time everything is reused', async () => {
  const document = workflow(
    '{text: string}',
    "{out: {type: 'File[]', outputSource: copy/out}}",
    `  make: {in: {text: text}, out: [files], run: ${split}}
  copy: {scatter: f, in: {f: make/files}, out: [out], run: ${cat}}
`,
  );
  await withEngine(async (engine) => {
    const first = await engine.run(await lower(document, { text: 'x y z' }));
    assert.deepEqual((first.outputs.out as unknown[]).map(text), ['x\n', 'y\n', 'z\n']);
    const again = await engine.run(await lower(document, { text: 'x y z' }));
    assert.deepEqual((again.outputs.out as unknown[]).map(text), ['x\n', 'y\n', 'z\n']);
    assert.equal(again.states.FINISHED, undefined);
    // One more word: only its own element is new, the others are found by content.
    const more = await engine.run(await lower(document, { text: 'w x y z' }));
    assert.deepEqual((more.outputs.out as unknown[]).map(text), ['w\n', 'x\n', 'y\n', 'z\n']);
    const elements = more.actions.filter(({ key }) => /^copy\[\d\]$/.test(key)).map(({ state }) => state);
    assert.deepEqual(elements, ['FINISHED', 'REUSED', 'REUSED', 'REUSED']);
  });
});

test('the same tool on the same bytes is computed once for two different workflows', async () => {
  const folder = await writeFiles({ 'in.txt': 'data' });
  const file: JsonObject = { class: 'File', location: `file://${folder}/in.txt` };
  await withEngine(async (engine) => {
    await engine.run(
      await lower(
        workflow(
          '{f: File}',
          '{out: {type: File, outputSource: s/out}}',
          `  s: {in: {f: f}, out: [out], run: ${cat}}\n`,
        ),
        { f: file },
      ),
    );
    const other = workflow(
      '{g: File}',
      '{one: {type: File, outputSource: first/out}, two: {type: File, outputSource: second/out}}',
      `  first: {in: {f: g}, out: [out], run: ${cat}}
  second: {in: {f: first/out}, out: [out], run: ${cat}}
`,
    );
    const { actions, outputs } = await engine.run(await lower(other, { g: file }));
    const state = (key: string) => actions.find((action) => action.key === key)?.state;
    assert.equal(state('first'), 'REUSED');
    // The copy has another name, so it is other work although the bytes are equal.
    assert.equal(state('second'), 'FINISHED');
    assert.equal(text(outputs.two), 'data');
    const tool = await engine.run(
      await lower(
        `cwlVersion: v1.2\n${cat
          .slice(1, -1)
          .replaceAll(', ', '\n')
          .replace(
            /inputs:[\s\S]*/,
            '',
          )}inputs: {f: {type: File, inputBinding: {}}}\noutputs: {out: stdout}\nstdout: copy.txt\n`,
        { f: file },
      ),
    );
    assert.equal(tool.actions[0]?.state, 'REUSED');
  });
});

test('a recomputed parent with equal bytes cuts off what is below it', async () => {
  const document = (comment: string) =>
    workflow(
      '[]',
      '{out: {type: File, outputSource: b/out}}',
      `  a: {in: [], out: [out], run: {class: CommandLineTool, requirements: {ShellCommandRequirement: {}}, arguments: [{valueFrom: "echo same > f # ${comment}", shellQuote: false}], inputs: [], outputs: {out: {type: File, outputBinding: {glob: f}}}}}
  b: {in: {f: a/out}, out: [out], run: ${cat}}
`,
    );
  await withEngine(async (engine) => {
    await engine.run(await lower(document('one')));
    const { actions, outputs } = await engine.run(await lower(document('two')));
    const state = (key: string) => actions.find((action) => action.key === key)?.state;
    assert.equal(state('a'), 'FINISHED');
    assert.equal(state('b'), 'REUSED');
    assert.equal(text(outputs.out), 'same\n');
  });
});

test('values without files are told apart, although their datasets hold equal files', async () => {
  const document = (value: number) =>
    workflow(
      '[]',
      '{out: {type: int, outputSource: e/n}}',
      `  e: {in: [], out: [n], run: {class: ExpressionTool, requirements: {InlineJavascriptRequirement: {}}, inputs: [], outputs: {n: int}, expression: "$({n: ${value}})"}}\n`,
    );
  await withEngine(async (engine) => {
    assert.deepEqual((await engine.run(await lower(document(1)))).outputs, { out: 1 });
    assert.deepEqual((await engine.run(await lower(document(2)))).outputs, { out: 2 });
  });
});

test('a failing tool fails the run with its own message', async () => {
  await withEngine(async (engine) => {
    const tool =
      'cwlVersion: v1.2\nclass: CommandLineTool\nrequirements: {ShellCommandRequirement: {}}\narguments: [{valueFrom: "echo bad luck >&2; exit 4", shellQuote: false}]\ninputs: []\noutputs: []\n';
    const error = await failure(engine.run(await lower(tool)));
    assert.equal(error.code, 'CWL_EXIT_CODE');
    assert.match(error.message, /exit code 4.*bad luck/);
  });
});

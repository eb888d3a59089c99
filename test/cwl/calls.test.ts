// Actions of Varve documents that call CWL tools: one dataset with CWL runs of the same tool on the same bytes, in both directions.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { readEnvironment } from '../../src/config/environment.ts';
import { loadConfig } from '../../src/config/load-config.ts';
import { emptyJob, loadDocument, urlOfPath } from '../../src/languages/cwl/index.ts';
import { openVarve, type Varve } from '../../src/varve.ts';
import { failure, temporaryFolder, writeFiles } from './documents.ts';

const say = `cwlVersion: v1.2
class: CommandLineTool
baseCommand: echo
inputs: {word: {type: string, inputBinding: {}}}
outputs: {said: stdout}
stdout: said.txt
`;
const shout = `cwlVersion: v1.0
class: CommandLineTool
baseCommand: [tr, a-z, A-Z]
inputs: {text: File}
stdin: $(inputs.text.path)
stdout: loud.txt
outputs: {loud: stdout}
`;
const letters = `cwlVersion: v1.2
class: CommandLineTool
requirements: {InlineJavascriptRequirement: {}}
baseCommand: touch
inputs: {names: {type: 'string[]', inputBinding: {}}}
outputs: {all: {type: 'File[]', outputBinding: {glob: '*'}}, count: {type: int, outputBinding: {glob: '*', outputEval: '$(self.length)'}}}
`;
const flow = `cwlVersion: v1.2
class: Workflow
inputs: {w: string}
steps:
  a: {run: say.cwl, in: {word: w}, out: [said]}
  b: {run: shout.cwl, in: {text: a/said}, out: [loud]}
outputs: {all: {type: File, outputSource: b/loud}}
`;

const opened: Varve[] = [];
after(async () => {
  for (const varve of opened) await varve.close();
});

async function home(): Promise<{ varve: Varve; folder: string }> {
  const folder = await writeFiles({
    'say.cwl': say,
    'shout.cwl': shout,
    'letters.cwl': letters,
    'flow.cwl': flow,
    'in.txt': 'given\n',
  });
  const { config } = await loadConfig(readEnvironment(), { home: temporaryFolder() });
  const varve = await openVarve({ config });
  opened.push(varve);
  await varve.work();
  return { varve, folder };
}

type States = Record<string, string>;

async function runVarve(varve: Varve, folder: string, actions: readonly object[]): Promise<States> {
  const document = { name: 'calls', actions } as never;
  return statesOf(varve, await varve.load({ document, folder }));
}

async function runCwl(varve: Varve, path: string, job: Record<string, string>): Promise<States> {
  const document = await loadDocument(urlOfPath(path));
  return statesOf(varve, await varve.cwl.workflow(document, { ...emptyJob, job }));
}

async function statesOf(varve: Varve, workflow: Awaited<ReturnType<Varve['load']>>): Promise<States> {
  const { runId } = await varve.submit(workflow);
  const run = await varve.wait(runId);
  const actions = await varve.store.view.actionsOfRun(runId);
  assert.equal(run.state, 'SUCCEEDED', JSON.stringify(actions.map(({ key, error }) => [key, error])));
  return Object.fromEntries(actions.map(({ key, state }) => [key, state]));
}

async function resultText(varve: Varve, key: string, file: string): Promise<string> {
  const actions = await varve.store.view.actionsOfRun(1);
  const [row] = await varve.store.view.datasets([actions.find((one) => one.key === key)!.datasetId!]);
  return readFileSync(join(varve.storage.path(row!.location!), file), 'utf8');
}

const calls = [
  { id: 'first', type: 'cwl', tool: 'say.cwl', inputs: { word: 'hello' } },
  { id: 'second', type: 'cwl', tool: 'shout.cwl', inputs: { text: { from: 'first', output: 'said' } } },
];

test('what a CWL workflow computed is reused by a Varve document that calls its tools', async () => {
  const { varve, folder } = await home();
  await runCwl(varve, join(folder, 'flow.cwl'), { w: 'hello' });
  assert.deepEqual(await runVarve(varve, folder, calls), { first: 'SKIPPED', second: 'REUSED' });
});

test('what a Varve document computed is reused by a CWL workflow and by the tool alone', async () => {
  const { varve, folder } = await home();
  assert.deepEqual(await runVarve(varve, folder, calls), { first: 'FINISHED', second: 'FINISHED' });
  const states = await runCwl(varve, join(folder, 'flow.cwl'), { w: 'hello' });
  assert.deepEqual([states.a, states.b], ['SKIPPED', 'REUSED']);
  assert.deepEqual(await runCwl(varve, join(folder, 'say.cwl'), { word: 'hello' }), { say: 'REUSED' });
});

test('files go from commands to tools and from tools to commands', async () => {
  const { varve, folder } = await home();
  await runVarve(varve, folder, [
    { id: 'make', command: 'printf made > "$VARVE_OUTPUT/it.txt"', outputs: { it: 'it.txt' } },
    { id: 'shout', type: 'cwl', tool: 'shout.cwl', inputs: { text: { from: 'make', output: 'it' } } },
    { id: 'given', type: 'cwl', tool: 'shout.cwl', inputs: { text: { file: 'in.txt' } } },
    { id: 'letters', type: 'cwl', tool: 'letters.cwl', inputs: { names: ['x', 'y'] } },
    {
      id: 'join',
      command:
        'cat "$VARVE_INPUT_ONE" "$VARVE_INPUT_TWO" > "$VARVE_OUTPUT/all.txt"; ls "$VARVE_INPUT_MANY" >> "$VARVE_OUTPUT/all.txt"',
      inputs: {
        one: { from: 'shout', output: 'loud' },
        two: { from: 'given', output: 'loud' },
        many: { from: 'letters', output: 'all' },
      },
    },
  ]);
  assert.equal(await resultText(varve, 'join', 'all.txt'), 'MADEGIVEN\n00000\n00001\n');
});

test('a call that cannot be made is told with its place, its reason and what to do', async () => {
  const { varve, folder } = await home();
  const problems = async (...actions: object[]) => {
    const error = await failure(varve.load({ document: { name: 'x', actions } as never, folder }));
    return error.problems.map(({ code, message }) => `${code} ${message}`);
  };
  const call = { id: 'a', type: 'cwl' };
  const where = 'action "a", field "tool"';
  assert.deepEqual(await problems({ ...call, tool: 'flow.cwl' }), [
    `TOOL_UNSUPPORTED ${where}: "flow.cwl": flow.cwl is of class Workflow; an action calls a CommandLineTool or an ExpressionTool`,
  ]);
  assert.deepEqual(await problems({ ...call, tool: 'say.cwl', inputs: { wrd: 'x' } }), [
    'TOOL_INPUT action "a": "say.cwl" has no input "wrd"',
  ]);
  assert.deepEqual(await problems({ ...call, tool: 'say.cwl', inputs: { word: 1 } }), [
    `TOOL_INVALID ${where}: "say.cwl": the input "word" must be string, not 1`,
  ]);
  assert.match((await problems({ ...call, tool: 'none.cwl' })).join(), /^TOOL_INVALID .*no such file/);
  assert.match((await problems({ ...call })).join(), /^FIELD_MISSING .*"tool"/);
  const unknown = { id: 'b', type: 'cwl', tool: 'shout.cwl', inputs: { text: { from: 'a', output: 'sad' } } };
  assert.match((await problems({ ...calls[0], id: 'a' }, unknown)).join(), /^OUTPUT_UNDEFINED .*"sad"/);
});

test('who may not read every file here cannot call tools, which read what their documents name', async () => {
  const { varve, folder } = await home();
  const guard = { allowFile: async () => true, allowUrl: async () => true } as never;
  const error = await failure(
    varve.load({ document: { name: 'x', actions: calls } as never, folder }, { guard }),
  );
  assert.deepEqual(
    error.problems.map(({ code }) => code),
    ['ACTION_TYPE_UNSUPPORTED', 'ACTION_TYPE_UNSUPPORTED'],
  );
});

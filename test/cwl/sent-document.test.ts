// Documents that came as text: what a server gets from its clients.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { readEnvironment } from '../../src/config/environment.ts';
import { loadConfig } from '../../src/config/load-config.ts';
import { VarveError } from '../../src/core/errors.ts';
import { loadSentDocument, type SentDocument } from '../../src/languages/cwl/index.ts';
import { openVarve } from '../../src/varve.ts';
import { temporaryFolder } from './documents.ts';

const echo = `cwlVersion: v1.2
class: CommandLineTool
baseCommand: echo
inputs: {word: {type: string, inputBinding: {}}}
outputs: {said: stdout}
`;
const offline = async (): Promise<string> => {
  throw new Error('there is no network here');
};

async function complaint(sent: SentDocument): Promise<string> {
  try {
    await loadSentDocument(sent, offline);
  } catch (error) {
    assert.ok(error instanceof VarveError, String(error));
    return [error, ...error.problems].map((one) => `${one.code} ${one.message}`).join('\n');
  }
  throw new Error('it was accepted');
}

test('a sent document runs, packed or with the documents that it refers to', async (t) => {
  const home = temporaryFolder();
  const { config } = await loadConfig(readEnvironment(), { home });
  const varve = await openVarve({ config });
  t.after(() => varve.close());
  await varve.work();
  const packed = JSON.stringify({
    cwlVersion: 'v1.2',
    $graph: [
      {
        id: 'main',
        class: 'Workflow',
        inputs: { word: 'string' },
        outputs: { said: { type: 'File', outputSource: 'say/said' } },
        steps: { say: { in: { word: 'word' }, out: ['said'], run: '#echo' } },
      },
      {
        id: 'echo',
        class: 'CommandLineTool',
        baseCommand: 'echo',
        inputs: { word: { type: 'string', inputBinding: {} } },
        outputs: { said: 'stdout' },
      },
    ],
  });
  const archive = {
    text: `cwlVersion: v1.2
class: Workflow
inputs: {word: string}
outputs: {said: {type: File, outputSource: say/said}}
steps: {say: {in: {word: word}, out: [said], run: tools/echo.cwl}}
`,
    texts: { 'tools/echo.cwl': echo },
  };
  const checksums = [];
  for (const sent of [{ text: packed }, archive]) {
    const workflow = await varve.cwl.sentWorkflow({ ...sent, job: { word: 'hello' } });
    const { runId } = await varve.submit(workflow);
    assert.equal((await varve.wait(runId)).state, 'SUCCEEDED');
    checksums.push(((await varve.cwl.outputs(runId)).said as { checksum: string }).checksum);
  }
  assert.equal(checksums[0], checksums[1]);
});

test('nothing of the receiver is read unless it is offered', async () => {
  const folder = temporaryFolder();
  const secret = join(folder, 'secret.cwl');
  writeFileSync(secret, echo);
  const step = (run: string): string => `cwlVersion: v1.2
class: Workflow
inputs: {word: string}
outputs: []
steps: {say: {in: {word: word}, out: [], run: ${run}}}
`;
  assert.match(await complaint({ text: step(`file://${secret}`) }), /CWL_NOT_READABLE.*was not sent along/);
  assert.match(await complaint({ text: step('other.cwl') }), /CWL_NOT_READABLE/);
  assert.match(await complaint({ text: step('https://example.org/a.cwl') }), /no network/);
  const text = echo.replace('string', 'File');
  for (const location of [`file://${secret}`, 'beside.txt', '../../etc/passwd'])
    assert.match(
      await complaint({ text, job: { word: { class: 'File', location } } }),
      /CWL_FILE_REFUSED the file .* may not be read/,
    );
  const job = { word: { class: 'File', location: `file://${secret}` } };
  await loadSentDocument({ text, job, mayRead: (path) => path.startsWith(folder) }, offline);
});

// CWL on a server: documents with files from elsewhere, archives, what they may not reach, and the output object on the way back.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { localApi } from '../../src/server/local-api.ts';
import { Home } from '../cli/home.ts';
import { startTestServer, type TestServer } from './test-server.ts';

const sortTool = `cwlVersion: v1.2
class: CommandLineTool
baseCommand: [sh, -c, 'sort "$0" > sorted.txt; cat "$0.idx" >> sorted.txt; mkdir -p d/e; echo in > d/e/f.txt']
inputs:
  table: {type: File, secondaryFiles: [.idx], inputBinding: {}}
outputs:
  sorted: {type: File, outputBinding: {glob: sorted.txt}}
  folder: {type: Directory, outputBinding: {glob: d}}
`;
const flow = `cwlVersion: v1.2
class: Workflow
inputs: {table: {type: File, secondaryFiles: [.idx]}}
outputs:
  sorted: {type: File, outputSource: sort/sorted}
  folder: {type: Directory, outputSource: sort/folder}
  same: {type: File, outputSource: table}
steps:
  sort: {in: {table: table}, out: [sorted, folder], run: tools/sort.cwl}
`;
const echo = `cwlVersion: v1.2
class: CommandLineTool
baseCommand: cat
stdout: said.txt
inputs: {file: {type: File, inputBinding: {}}}
outputs: {said: stdout}
`;

async function bearer(server: TestServer, user: string): Promise<Record<string, string>> {
  const api = localApi(server.varve);
  await api.putUser({ user, role: 'submitter' });
  const { secret } = await api.addToken({ user });
  return { authorization: `Bearer ${secret}` };
}

async function upload(server: TestServer, bytes: Uint8Array, headers: Record<string, string>) {
  const response = await fetch(`${server.url}/api/v1/uploads`, {
    method: 'POST',
    headers: { 'content-type': 'application/octet-stream', ...headers },
    body: bytes as never,
  });
  return ((await response.json()) as { upload: string }).upload;
}

function scratch(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'varve-cwl-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

test('varve --server runs a CWL workflow with its tools and files, and brings the outputs back', async (t) => {
  const server = await startTestServer(t);
  const home = new Home(t);
  home.write('flow.cwl', flow);
  home.write('tools/sort.cwl', sortTool);
  home.write('data/my table.txt', 'b\na\n');
  home.write('data/my table.txt.idx', 'index\n');
  home.write('inputs.yml', 'table: {class: File, path: data/my table.txt}\n');
  const far = await home.start('--server', server.url, 'run', 'flow.cwl', 'inputs.yml', '--outdir', 'far')
    .ended;
  assert.equal(far.status, 0, far.stderr);
  assert.equal(readFileSync(home.path('far/sorted.txt'), 'utf8'), 'a\nb\nindex\n');
  assert.equal(readFileSync(home.path('far/d/e/f.txt'), 'utf8'), 'in\n');
  assert.equal(readFileSync(home.path('far/my table.txt.idx'), 'utf8'), 'index\n');
  const near = home.run('run', 'flow.cwl', 'inputs.yml', '--outdir', 'near');
  assert.equal(near.status, 0, near.stderr);
  const plain = (text: string, folder: string): object => JSON.parse(text.replaceAll(`/${folder}/`, '/out/'));
  assert.deepEqual(plain(far.stdout, 'far'), plain(near.stdout, 'near'));
  const crated = ['run', 'flow.cwl', 'inputs.yml', '--outdir', 'again', '--provenance', 'crate'];
  assert.equal((await home.start('--server', server.url, ...crated).ended).status, 0);
  assert.equal(readFileSync(home.path('crate/outputs/sorted.txt'), 'utf8'), 'a\nb\nindex\n');
  assert.equal(readFileSync(home.path('crate/inputs/my table.txt'), 'utf8'), 'b\na\n');
  assert.match(readFileSync(home.path('crate/ro-crate-metadata.json'), 'utf8'), /CompletedActionStatus"/);
  const plan = await home.start('--server', server.url, 'run', 'flow.cwl', 'inputs.yml', '--dry-run').ended;
  assert.match(plan.stdout, /sort\s+reuse/);
});

test('problems of a CWL document or its inputs are those of a local run, with their codes', async (t) => {
  const server = await startTestServer(t, { roles: ['api'] });
  const wrong = await server.post('runs', {
    workflow: 'cwlVersion: v1.2\nclass: CommandLineTool\ninputs: {}\n',
  });
  assert.equal(wrong.status, 422);
  assert.match(wrong.json.code, /^CWL_/);
  const absent = await server.post('runs', { workflow: echo });
  assert.equal(absent.status, 422);
  assert.match(absent.text, /CWL_INPUT_MISSING/);
  const checked = await server.post('validations', { workflow: echo });
  assert.deepEqual(checked.json.problems, [], 'inputs are not part of the document');
  const none = await server.get('runs/1/outputs');
  assert.equal(none.status, 404);
});

for (const [kind, pack] of [
  ['tar.gz', ['tar', '--format=gnu', '-czf', '../packed.tar.gz', '.']],
  ['tar', ['tar', '--format=pax', '--pax-option=comment=all', '-cf', '../packed.tar', '.']],
  ['zip', ['python3', '-m', 'zipfile', '-c', '../packed.zip', 'flow.cwl', 'tools', 'data']],
] as const)
  test(`an archive (${kind}) brings document, tools and inputs, and its outputs are downloaded`, async (t) => {
    const server = await startTestServer(t);
    const home = new Home(t);
    const table = `data/${'long-'.repeat(24)}name.txt`;
    home.write('sent/flow.cwl', flow);
    home.write('sent/tools/sort.cwl', sortTool);
    home.write(`sent/${table}`, 'b\na\n');
    home.write(`sent/${table}.idx`, 'index\n');
    execFileSync(pack[0], pack.slice(1), { cwd: home.path('sent') });
    const headers = await bearer(server, 'ann');
    const archive = await upload(server, readFileSync(home.path(`packed.${kind}`)), headers);
    const parameters = { table: { class: 'File', path: table } };
    const body = { archive, folder: '/', fileName: 'flow.cwl', parameters };
    const answer = await server.post('runs', body, headers);
    assert.equal(answer.status, 201, answer.text);
    await server.varve.wait(answer.json.run);
    const { outputs } = (await server.get(`runs/${answer.json.run}/outputs`, headers)).json;
    assert.equal((await server.get(outputs.sorted.location, headers)).text, 'a\nb\nindex\n');
    assert.equal(outputs.same.location, `file:///${table}`);
    assert.ok(!JSON.stringify(outputs).includes(server.home), 'no path of the server is told');
    const missing = await server.post('runs', { ...body, fileName: 'other.cwl' }, headers);
    assert.equal(missing.json.code, 'SUBMIT_DOCUMENT_MISSING');
  });

test('archives that lead out of their folder, lie or are damaged are refused', async (t) => {
  const server = await startTestServer(t, { roles: ['api'] });
  const folder = scratch(t);
  const headers = await bearer(server, 'eve');
  const make = (script: string): Buffer => {
    execFileSync('python3', ['-c', script], { cwd: folder });
    return readFileSync(join(folder, 'a'));
  };
  const zip = 'import zipfile; z=zipfile.ZipFile("a","w",8);';
  const tar = 'import tarfile,io; z=tarfile.open("a","w");';
  const attacks = [
    make(`${zip} z.writestr("../../evil","x"); z.close()`),
    make(`${zip} z.writestr("/etc/evil","x"); z.close()`),
    make(
      `${zip} i=zipfile.ZipInfo("l"); i.external_attr=0o120777<<16; z.writestr(i,"/etc/passwd"); z.close()`,
    ),
    make(
      `${zip} z.writestr("bomb","0"*50_000_000); z.close(); b=bytearray(open("a","rb").read()); at=b.rfind(b"PK\\x01\\x02"); b[at+24:at+28]=(10).to_bytes(4,"little"); open("a","wb").write(b)`,
    ),
    make(`${tar} i=tarfile.TarInfo("../evil"); z.addfile(i); z.close()`),
    make(`${tar} i=tarfile.TarInfo("l"); i.type=tarfile.SYMTYPE; i.linkname="/etc"; z.addfile(i); z.close()`),
    Buffer.from('PK\u0003\u0004 broken'),
    Buffer.from([0x1f, 0x8b, 1, 2, 3]),
  ];
  for (const [i, bytes] of attacks.entries()) {
    const archive = await upload(server, bytes, headers);
    const answer = await server.post('runs', { archive, folder: '/', fileName: 'flow.cwl' }, headers);
    assert.equal(answer.json.code, 'SUBMIT_ARCHIVE', `${i}: ${answer.text}`);
    assert.equal(answer.status, 422);
  }
});

test('a CWL document reaches no file of the server and no address that is not allowed, also by redirects', async (t) => {
  let asked = 0;
  const inside = createServer((request, response) => {
    asked += 1;
    if (request.url === '/away') response.writeHead(302, { location: `http://localhost:${port(inside)}/x` });
    response.end(echo);
  });
  const port = (server: typeof inside): number => (server.address() as AddressInfo).port;
  await new Promise<void>((resolve) => inside.listen(0, '127.0.0.1', resolve));
  t.after(() => inside.close());
  const base = `http://127.0.0.1:${port(inside)}`;
  const server = await startTestServer(t, { roles: ['api'] });
  const headers = await bearer(server, 'eve');
  const secret = join(scratch(t), 'secret.txt');
  writeFileSync(secret, 'secret');
  const file = (location: string) => ({ parameters: { file: { class: 'File', location } } });
  const withSchema = (url: string): string => `${echo}$schemas: [${JSON.stringify(url)}]\n`;
  const importing = echo.replace('inputs:', `hints: [{$import: "${base}/import"}]\ninputs:`);
  const attempts: [object, RegExp][] = [
    [{ workflow: echo, ...file(`${base}/input`) }, /does not fetch from/],
    [{ workflow: importing, parameters: {} }, /does not fetch from/],
    [{ workflow: withSchema(`${base}/schema`), parameters: {} }, /does not fetch from/],
    [{ workflow: withSchema(`file://${secret}`), parameters: {} }, /CWL_FILE_REFUSED/],
    [{ workflow: echo, ...file(`file://${secret}`) }, /CWL_FILE_REFUSED/],
    [{ workflow: echo, ...file('../../../../../../../../etc/passwd') }, /CWL_FILE_REFUSED/],
    [
      { workflow: `run: file://${secret}\n${flow.replace('tools/sort.cwl', `file://${secret}`)}` },
      /not sent along/,
    ],
  ];
  for (const [body, expected] of attempts) {
    const answer = await server.post('runs', body, headers);
    assert.equal(answer.status >= 400 && answer.status < 500, true, answer.text);
    assert.match(answer.text, expected);
    assert.doesNotMatch(answer.text, /secret"/);
  }
  assert.equal(asked, 0);
  const open = await startTestServer(t, {
    roles: ['api'],
    set: [`server.inputHosts=127.0.0.1:${port(inside)}`],
  });
  const ann = await bearer(open, 'ann');
  const allowed = await open.post('runs', { workflow: echo, ...file(`${base}/input`) }, ann);
  assert.equal(allowed.status, 201, allowed.text);
  const redirected = await open.post('runs', { workflow: echo, ...file(`${base}/away`) }, ann);
  assert.match(redirected.text, /does not fetch from localhost/);
});

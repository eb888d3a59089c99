// Tools in real containers, where podman and a static busybox are installed: the image is made from that one program.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { JsonObject } from '../../src/core/json.ts';
import { type ContainerRun, imagePreparer, lowerCwlWorkflow } from '../../src/languages/cwl/index.ts';
import { Home } from '../cli/home.ts';
import { runDirectly } from './direct-runner.ts';
import { load, temporaryFolder, writeFiles } from './documents.ts';
import { podmanRuns, writeContainersConf } from './machine-image.ts';

const busybox = ['/bin/busybox', '/usr/bin/busybox'].find((path) => existsSync(path));
const works = busybox !== undefined && podmanRuns();
const skip = works ? false : 'no podman that can run containers, or no static busybox';
const image = `localhost/varve-test-${process.pid}`;

after(() => {
  if (works) execFileSync('podman', ['rmi', '--force', image], { stdio: 'ignore' });
});

/** A root file system with nothing but busybox, as a tar file. */
function rootFileSystem(): string {
  const folder = temporaryFolder();
  const bin = join(folder, 'root/bin');
  mkdirSync(bin, { recursive: true });
  for (const name of ['tmp', 'etc', 'proc', 'sys', 'dev']) mkdirSync(join(folder, 'root', name));
  copyFileSync(busybox!, join(bin, 'busybox'));
  for (const name of ['sh', 'cat', 'echo', 'ls', 'id', 'wget', 'sleep'])
    symlinkSync('busybox', join(bin, name));
  execFileSync('tar', ['-C', join(folder, 'root'), '-cf', join(folder, 'root.tar'), '.']);
  return join(folder, 'root.tar');
}

function containerRun(): ContainerRun {
  const conf = writeContainersConf(temporaryFolder());
  const environment = { PATH: process.env.PATH!, HOME: process.env.HOME!, CONTAINERS_CONF: conf };
  return { engine: 'podman', environment, image: imagePreparer('podman', environment) };
}

test('a tool runs in the container that its document imports, with inputs, outputs and its own directory', {
  skip,
}, async () => {
  const files = await writeFiles({ 'in.txt': 'inside' });
  const { process } = await load(`cwlVersion: v1.2
class: CommandLineTool
requirements:
  DockerRequirement: {dockerImport: ${rootFileSystem()}, dockerImageId: ${image}, dockerOutputDirectory: /results}
  ShellCommandRequirement: {}
  InitialWorkDirRequirement:
    listing: [{entryname: note, entry: "$(inputs.f.basename)"}, {entryname: /opt/deep/conf, entry: deep}]
inputs: {f: File}
outputs: {out: {type: File, outputBinding: {glob: out.txt}}}
arguments: [{valueFrom: "(cat $(inputs.f.path); echo; cat note; echo; cat /opt/deep/conf; echo; echo $HOME; ls /etc) > /results/out.txt", shellQuote: false}]
`);
  const container = containerRun();
  const job: JsonObject = { f: { class: 'File', location: `file://${files}/in.txt` } };
  const workflow = await lowerCwlWorkflow(process, job, { container: { engine: 'podman' } });
  const { outputs } = await runDirectly(workflow, { container: async () => container });
  const text = readFileSync(fileURLToPath((outputs.out as { location: string }).location), 'utf8');
  assert.match(text, /^inside\nin\.txt\ndeep\n\/results\n/);
});

test('varve run uses the engine that it is told, and a cancelled run leaves no container behind', {
  skip,
}, async (t) => {
  const env = { CONTAINERS_CONF: writeContainersConf(temporaryFolder()) };
  const home = new Home(t, env);
  const tool = (command: string): string => `cwlVersion: v1.2
class: CommandLineTool
requirements:
  DockerRequirement: {dockerImport: ${rootFileSystem()}, dockerImageId: ${image}-cancel}
  ShellCommandRequirement: {}
inputs: []
outputs: {out: stdout}
stdout: out.txt
arguments: [{valueFrom: "${command}", shellQuote: false}]
`;
  t.after(() => execFileSync('podman', ['rmi', '--force', `${image}-cancel`], { stdio: 'ignore' }));
  home.write('quick.cwl', tool('echo inside'));
  const quick = home.run('run', 'quick.cwl', '--container', 'podman');
  assert.equal(quick.status, 0, quick.stderr);
  assert.equal(readFileSync(home.path('out.txt'), 'utf8'), 'inside\n');

  home.write('slow.cwl', tool('echo begun; sleep 300'));
  const containers = (): string =>
    execFileSync('podman', ['ps', '--all', '--noheading', '--filter', `ancestor=${image}-cancel`], {
      encoding: 'utf8',
      env: { ...process.env, ...env },
    }).trim();
  const { child, ended } = home.start('run', 'slow.cwl', '--container', 'podman');
  for (let i = 0; i < 600 && containers() === ''; i++) await sleep(50);
  assert.notEqual(containers(), '');
  child.kill('SIGINT');
  assert.equal((await ended).status, 130);
  assert.equal(containers(), '');
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { containerCommand } from '../../src/languages/cwl/tool/container-command.ts';
import { planImage } from '../../src/languages/cwl/tool/container-image.ts';

const request = {
  image: 'debian:12',
  name: 'varve-1',
  argv: ['cat', 'a b'],
  env: { HOME: '/out', LIST: 'a,b' },
  workdir: '/out',
  binds: [
    { source: '/s/work', target: '/out', writable: true },
    { source: '/data/x,y', target: '/data/x,y', writable: false },
  ],
  network: false,
  stdin: true,
} as const;

test('docker and podman run the command by the image entry point, without network, as the user', () => {
  const docker = containerCommand({
    ...request,
    engine: 'docker',
    user: { uid: 5, gid: 6 },
    memoryBytes: 1024,
  });
  assert.deepEqual(docker.argv, [
    ...[
      'docker',
      'run',
      '--rm',
      '--name',
      'varve-1',
      '--workdir',
      '/out',
      '--interactive',
      '--network',
      'none',
    ],
    ...['--user', '5:6', '--memory', '1024b'],
    ...['--mount', 'type=bind,source=/s/work,target=/out'],
    ...['--mount', 'type=bind,"source=/data/x,y","target=/data/x,y",readonly'],
    ...['--env', 'HOME=/out', '--env', 'LIST=a,b', 'debian:12', 'cat', 'a b'],
  ]);
  const podman = containerCommand({
    ...request,
    engine: 'podman',
    user: { uid: 5, gid: 6 },
    network: true,
    stdin: false,
  });
  assert.ok(podman.argv.includes('keep-id'));
  assert.ok(!podman.argv.includes('none'));
  assert.ok(!podman.argv.includes('--interactive'));
});

test('apptainer gets the environment by prefixed variables, so that commas survive', () => {
  const { argv, env } = containerCommand({ ...request, engine: 'apptainer' });
  assert.deepEqual(env, { APPTAINERENV_HOME: '/out', APPTAINERENV_LIST: 'a,b' });
  assert.deepEqual(argv.slice(-3), ['docker://debian:12', 'cat', 'a b']);
  assert.ok(argv.includes('type=bind,source=/s/work,destination=/out'));
});

test('an image is pulled, loaded, imported or built as the document says', () => {
  const plan = (requirement: object) => planImage({ class: 'DockerRequirement', ...requirement }, 'podman');
  assert.deepEqual(plan({ dockerPull: 'a/b:1' }), {
    image: 'a/b:1',
    check: ['podman', 'image', 'inspect', 'a/b:1'],
    make: [{ argv: ['podman', 'pull', 'a/b:1'] }],
  });
  assert.deepEqual(plan({ dockerLoad: '/x.tar', dockerImageId: 'x' }).make, [
    { argv: ['podman', 'load', '--input', '/x.tar'] },
  ]);
  assert.deepEqual(plan({ dockerImport: '/x.tar', dockerImageId: 'x' }).make, [
    { argv: ['podman', 'import', '/x.tar', 'x'] },
  ]);
  const built = plan({ dockerFile: 'FROM scratch' });
  assert.deepEqual(built.make, [
    { argv: ['podman', 'build', '--tag', built.image, '-'], input: 'FROM scratch' },
  ]);
  assert.deepEqual(plan({ dockerImageId: 'here' }).make, []);
  assert.throws(() => plan({}), /dockerPull/);
  assert.throws(() => plan({ dockerLoad: '/x.tar' }), /dockerImageId/);
  assert.equal(
    planImage({ class: 'DockerRequirement', dockerLoad: '/x.tar' }, 'apptainer').image,
    'docker-archive:///x.tar',
  );
});

import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type ContainerRequest,
  containerArgv,
  containerName,
  removeContainerArgv,
} from '../../src/core/container-argv.ts';

const request: ContainerRequest = {
  engine: 'docker',
  image: 'debian:12',
  name: 'varve-k1',
  argv: ['/bin/sh', '-c', 'echo hi'],
  env: { A: 'x,y', VARVE_OUTPUT: '/s/out' },
  cwd: '/s/work',
  mounts: [
    { path: '/data/in,1', writable: false },
    { path: '/s/out', writable: true },
  ],
  network: false,
  stdin: false,
  user: { uid: 1000, gid: 100 },
};

test('docker runs the command as the user, without network, with inputs read-only at their own paths', () => {
  assert.deepEqual(containerArgv({ ...request, memoryBytes: 5e8 }), {
    argv: [
      ...['docker', 'run', '--rm', '--name', 'varve-k1', '--workdir', '/s/work', '--network', 'none'],
      ...['--user', '1000:100', '--memory', '500000000b'],
      ...['--mount', 'type=bind,"source=/data/in,1","target=/data/in,1",readonly'],
      ...['--mount', 'type=bind,source=/s/out,target=/s/out'],
      ...['--env', 'A=x,y', '--env', 'VARVE_OUTPUT=/s/out'],
      ...['--entrypoint', '/bin/sh', 'debian:12', '-c', 'echo hi'],
    ],
    env: {},
  });
});

test('podman keeps the user id of an ordinary user, and passes stdin and network when asked', () => {
  const { argv } = containerArgv({
    ...request,
    engine: 'podman',
    stdin: true,
    network: true,
    mounts: [],
    env: {},
  });
  assert.deepEqual(argv.slice(0, 10), [
    ...['podman', 'run', '--rm', '--name', 'varve-k1', '--workdir', '/s/work', '--interactive'],
    ...['--userns', 'keep-id'],
  ]);
});

test('a digest pins the image in place of an older pin', () => {
  const { argv } = containerArgv({ ...request, image: 'debian@sha256:old', digest: 'sha256:new' });
  assert.ok(argv.includes('debian@sha256:new'));
});

test('apptainer gets images by name from a registry, and variables in its own environment', () => {
  const { argv, env } = containerArgv({
    ...request,
    engine: 'apptainer',
    mounts: [{ path: '/d', writable: false }],
  });
  assert.deepEqual(argv, [
    ...[
      'apptainer',
      'exec',
      '--cleanenv',
      '--containall',
      '--no-home',
      '--pwd',
      '/s/work',
      '--net',
      '--network',
      'none',
    ],
    ...['--mount', 'type=bind,source=/d,destination=/d,ro', 'docker://debian:12', '/bin/sh', '-c', 'echo hi'],
  ]);
  assert.deepEqual(env, { APPTAINERENV_A: 'x,y', APPTAINERENV_VARVE_OUTPUT: '/s/out' });
  const local = containerArgv({ ...request, engine: 'apptainer', image: '/images/a.sif', mounts: [] });
  assert.ok(local.argv.includes('/images/a.sif'));
});

test('the image entry point gets the command where it is wanted, and a mount may have another name inside', () => {
  const wanted = {
    ...request,
    byEntryPoint: true,
    mounts: [{ path: '/s/work', target: '/results', writable: true }],
  };
  const docker = containerArgv(wanted).argv;
  assert.deepEqual(docker.slice(-4), ['debian:12', '/bin/sh', '-c', 'echo hi']);
  assert.ok(docker.includes('type=bind,source=/s/work,target=/results'));
  const apptainer = containerArgv({ ...wanted, engine: 'apptainer' }).argv;
  assert.deepEqual(apptainer.slice(0, 2), ['apptainer', 'run']);
  assert.ok(apptainer.includes('type=bind,source=/s/work,destination=/results'));
});

test('a container is removed by name, where it is more than a process', () => {
  assert.deepEqual(removeContainerArgv('podman', containerName('7-1-x')), [
    'podman',
    'rm',
    '--force',
    'varve-7-1-x',
  ]);
  assert.equal(removeContainerArgv('apptainer', 'varve-1'), undefined);
});

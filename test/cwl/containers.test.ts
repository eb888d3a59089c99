import assert from 'node:assert/strict';
import { test } from 'node:test';
import { planImage } from '../../src/languages/cwl/tool/container-image.ts';

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

// What can be checked of the container file and the systemd unit without a registry and without becoming root.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { commandNames } from '../../src/cli/command-table.ts';
import { configKeyNames, environmentName } from '../../src/config/config-keys.ts';
import { temporaryFolder, varveBin } from '../cli/varve.ts';

const root = join(import.meta.dirname, '..', '..');
const read = (name: string): string => readFileSync(join(root, 'packaging', name), 'utf8');

test('the unit is what systemd understands', (t) => {
  const unit = read('varve.service').replace('/usr/local/bin/varve', varveBin);
  const file = join(temporaryFolder(t), 'varve.service');
  writeFileSync(file, unit);
  const { status, stderr, error } = spawnSync('systemd-analyze', ['verify', '--man=no', file], {
    encoding: 'utf8',
  });
  if (error) return t.skip(`systemd-analyze is not installed: ${error.message}`);
  const ours = stderr.split('\n').filter((line) => line.includes('varve.service'));
  assert.deepEqual([status, ours], [0, []], stderr);
});

test('the unit and the image start commands and set variables that exist', () => {
  const unit = read('varve.service');
  const image = read('Containerfile');
  const started = [/^ExecStart=\S+ (\w+)/m.exec(unit)?.[1], /^CMD \["(\w+)"\]/m.exec(image)?.[1]];
  for (const name of started)
    assert.ok((commandNames as readonly (string | undefined)[]).includes(name), String(name));
  const variables = new Set(['VARVE_CONFIG', ...configKeyNames.map(environmentName)]);
  for (const [name] of `${unit}${image}`.matchAll(/\bVARVE_[A-Z_]+/g)) assert.ok(variables.has(name), name);
});

test('the image is built from files that are there, from the Node that the project uses, for an ordinary user', () => {
  const image = read('Containerfile');
  const copied = [...image.matchAll(/^COPY (?!--)(.*) \S+$/gm)].flatMap(([, names]) => names!.split(' '));
  for (const name of copied) assert.ok(existsSync(join(root, name)), name);
  const { devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    devDependencies: { node: string };
  };
  const major = /\d+/.exec(devDependencies.node)?.[0];
  assert.equal(/^ARG BASE=\S+\/node:(\d+)/m.exec(image)?.[1], major);
  for (const [, base] of image.matchAll(/^FROM (\S+)/gm)) assert.equal(base, '${BASE}');
  assert.match(image, /^USER node$/m);
});

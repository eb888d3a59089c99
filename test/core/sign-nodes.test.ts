import assert from 'node:assert/strict';
import { test } from 'node:test';
import { signNodes } from '../../src/core/sign-nodes.ts';
import { defaultPolicy, type NodeDefinition } from '../../src/core/workflow.ts';

function node(key: string, ...parents: string[]): NodeDefinition {
  return {
    key,
    name: key,
    type: 'test',
    expands: false,
    parents: parents.map((parent) => ({ slot: parent, key: parent })),
    identity: { op: key },
    spec: { op: key },
    policy: defaultPolicy,
    result: false,
  };
}

test('signatures do not depend on the order in which nodes are listed', () => {
  const nodes = [node('a'), node('b', 'a'), node('c', 'a', 'b'), node('d', 'c')];
  const forwards = signNodes(nodes);
  const backwards = signNodes([...nodes].reverse());
  for (const { key } of nodes) assert.deepEqual(forwards.get(key), backwards.get(key));
});

test('a change shows in everything below it and in nothing else', () => {
  const before = signNodes([node('a'), node('b', 'a'), node('c', 'b'), node('x')]);
  const after = signNodes([
    { ...node('a'), identity: { op: 'other' } },
    node('b', 'a'),
    node('c', 'b'),
    node('x'),
  ]);
  for (const key of ['a', 'b', 'c']) assert.notEqual(before.get(key)?.signature, after.get(key)?.signature);
  assert.equal(before.get('x')?.signature, after.get('x')?.signature);
});

test('a chain of a hundred thousand, listed from its end, is signed', () => {
  const nodes = Array.from({ length: 100_000 }, (_, i) =>
    node(`n${i}`, ...(i === 0 ? [] : [`n${i - 1}`])),
  ).reverse();
  assert.equal(signNodes(nodes).size, nodes.length);
});

test('a cycle and an unknown parent are refused', () => {
  assert.throws(() => signNodes([node('a', 'c'), node('b', 'a'), node('c', 'b')]), /cycle/);
  assert.throws(() => signNodes([node('a', 'a')]), /cycle/);
  assert.throws(() => signNodes([node('a', 'nobody')]), /unknown parent nobody/);
});

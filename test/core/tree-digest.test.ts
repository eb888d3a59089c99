import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { compareBytes, countFiles, type TreeEntry, treeDigest } from '../../src/core/tree-digest.ts';

const sha256 = (text: string) => hash('sha256', text, 'hex');
const file = (path: string, text: string, executable = false): TreeEntry => ({
  kind: 'file',
  path,
  executable,
  sizeBytes: Buffer.byteLength(text),
  sha256: sha256(text),
});

const sample: readonly TreeEntry[] = [
  { kind: 'directory', path: 'empty' },
  { kind: 'directory', path: 'sub' },
  file('sub/a.txt', 'hello\n'),
  file('run.sh', '#!/bin/sh\n', true),
  { kind: 'symlink', path: 'latest', target: 'sub/a.txt' },
  file('\u{1f600}', ''),
  file('\ufb00', ''),
];

test('tree digests are pinned', () => {
  assert.equal(treeDigest([]), '702c995a902cacc1d32f31cb38f9b2982cff2f9b52ac69376bec670d3bcbf2f7');
  assert.equal(treeDigest(sample), '7927458a3e160cee0325cb3b3b048d5b195f3c96da627bb35fa67e7c85bfb452');
});

test('the digest signs exactly the canonical text that the scheme describes', () => {
  const text = `[1,"tree",[["a","directory"],["a/x","executable",3,"${sha256('abc')}"],["b","symlink","a/x"]]]`;
  const entries: readonly TreeEntry[] = [
    { kind: 'symlink', path: 'b', target: 'a/x' },
    { kind: 'directory', path: 'a' },
    file('a/x', 'abc', true),
  ];
  assert.equal(treeDigest(entries), sha256(text));
});

test('a tree of many entries, hashed piece by piece, has the digest of its whole text', () => {
  const entries = Array.from({ length: 2500 }, (_, index) =>
    file(String(index).padStart(5, '0'), `${index}`),
  );
  const text = entries.map((entry) =>
    JSON.stringify([
      entry.path,
      'file',
      'sizeBytes' in entry && entry.sizeBytes,
      'sha256' in entry && entry.sha256,
    ]),
  );
  assert.equal(treeDigest(entries), sha256(`[1,"tree",[${text.join(',')}]]`));
});

test('the order in which entries are listed does not change the digest, any other change does', () => {
  assert.equal(treeDigest([...sample].reverse()), treeDigest(sample));
  const changed: readonly (readonly TreeEntry[])[] = [
    sample.slice(1),
    sample.map((entry) => (entry.path === 'run.sh' ? { ...entry, executable: false } : entry) as TreeEntry),
    sample.map((entry) => (entry.path === 'latest' ? { ...entry, target: 'run.sh' } : entry) as TreeEntry),
    sample.map((entry) => (entry.path === 'sub/a.txt' ? file('sub/a.txt', 'hello') : entry)),
    sample.map((entry) => (entry.path === 'empty' ? { ...entry, path: 'Empty' } : entry)),
  ];
  const digests = new Set([treeDigest(sample), ...changed.map(treeDigest)]);
  assert.equal(digests.size, changed.length + 1);
});

test('paths compare as their UTF-8 bytes', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (a, b) => {
      assert.equal(Math.sign(compareBytes(a, b)), Buffer.compare(Buffer.from(a), Buffer.from(b)));
    }),
  );
});

test('sizes and counts are those of files only', () => {
  assert.deepEqual(countFiles(sample), { sizeBytes: 16, fileCount: 4 });
});

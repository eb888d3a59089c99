import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';

const root = join(import.meta.dirname, '..', '..');
const documents = globSync(['*.md', 'docs/**/*.md', 'examples/**/*.md'], { cwd: root });
const read = (file: string): string => readFileSync(join(root, file), 'utf8');

test('links between documents lead somewhere', () => {
  const broken = documents.flatMap((file) =>
    [...read(file).matchAll(/\]\((?!https?:|#)([^)#]+)/g)]
      .filter(([, target]) => !existsSync(join(root, dirname(file), target!)))
      .map(([, target]) => `${file}: ${target}`),
  );
  assert.deepEqual(broken, []);
});

test('files that the documents name exist, and contain the functions that are said to be in them', () => {
  for (const file of documents) {
    const text = read(file).replace(/```[\s\S]*?```/g, '');
    for (const [, path] of text.matchAll(/`((?:src|test|scripts|bench|bin)\/[\w/.-]+\.\w+)`/g)) {
      if (path === 'src/cli/commands/store-backup.ts') continue;
      assert.ok(existsSync(join(root, path!)), `${file} names ${path}`);
    }
    for (const [, name, path] of text.matchAll(/`(\w+)` (?:in |\()`((?:src|test)\/[\w/.-]+\.ts)`/g)) {
      assert.match(read(path!), new RegExp(`export .*\\b${name}\\b`), `${file}: ${name} in ${path}`);
    }
  }
});

test('scripts that the documents name exist', () => {
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
  for (const file of documents) {
    for (const [, name] of read(file).matchAll(/npm run ([\w:]+)/g)) {
      assert.ok(Object.hasOwn(scripts, name!), `${file}: npm run ${name}`);
    }
  }
});

test('the workflow in the README is the first example', () => {
  const shown = /```json\n([\s\S]*?)```/.exec(read('README.md'))?.[1];
  assert.equal(shown, read('examples/01-hello/workflow.json'));
});

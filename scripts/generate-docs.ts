// `npm run docs:generate` writes the generated references; `npm run docs:check` only compares, and names the pages that differ.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, relative } from 'node:path';
import { renderPages } from './reference/pages.ts';

const checkOnly = process.argv.includes('--check');
let different = 0;
for (const { path, text } of await renderPages()) {
  const name = relative(process.cwd(), path);
  if (read(path) === text) continue;
  different += 1;
  if (checkOnly) console.error(`${name} differs from the code`);
  else {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    console.log(`wrote ${name}`);
  }
}
if (checkOnly && different > 0) {
  console.error('run `npm run docs:generate` and commit the result');
  process.exitCode = 1;
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

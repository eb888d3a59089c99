#!/usr/bin/env node
// The `varve` command. Plain JavaScript that any Node can read, so that an old one gets a clear message. The version is answered
// at once; everything else comes from the bundle, or from the sources in a clone, with compiled code cached between starts.
import { existsSync, readFileSync } from 'node:fs';
import module from 'node:module';
import { homedir } from 'node:os';
import { join } from 'node:path';

const manifest = new URL('../package.json', import.meta.url);
const wanted = 24;

if (Number.parseInt(process.versions.node, 10) < wanted) {
  console.error(
    `varve: needs Node ${wanted} or newer, and this is ${process.version} (${process.execPath}). Get one from https://nodejs.org, or run \`npx -p node@24 varve …\`.`,
  );
  process.exitCode = 33;
} else if (process.argv.length === 3 && ['--version', '-V'].includes(process.argv[2])) {
  console.log(JSON.parse(readFileSync(manifest, 'utf8')).version);
} else {
  // Kept with the user's caches: a TMPDIR that changes with every job, as runners of suites and clusters set it, would never hold it.
  module.enableCompileCache(join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'varve', 'code'));
  const source = new URL('../src/cli/main.ts', import.meta.url);
  await import(existsSync(source) ? source.href : new URL('../dist/cli.js', import.meta.url).href);
}

// Makes what is published: the bundle in dist/, type declarations of the public API in dist/types, the documentation in dist/docs.
import { execFileSync } from 'node:child_process';
import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { buildWeb } from './build-web.ts';
import { bundle } from './bundle.ts';
import { buildSite } from './site/build-site.ts';

const root = join(import.meta.dirname, '..');
const dist = join(root, 'dist');

rmSync(dist, { recursive: true, force: true });
await bundle(dist);
await buildWeb(join(dist, 'web'));
const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
execFileSync(process.execPath, [compiler, '-p', join(root, 'tsconfig.build.json')], { stdio: 'inherit' });

const parts = readdirSync(dist).filter((file) => file.endsWith('.js'));
const bytes = parts.reduce((sum, file) => sum + statSync(join(dist, file)).size, 0);
const pages = buildSite(join(dist, 'docs'));
console.log(
  `dist/: ${parts.length} parts, ${Math.round(bytes / 1024)} KiB of JavaScript; ${pages} pages of documentation`,
);

// Makes the published JavaScript: a bundle with one lazy part per command in dist/, flat, so that src/assets.ts and src/version.ts
// find their files; type declarations of the public API in dist/types; assets beside the bundle under their path below src/.
import { execFileSync } from 'node:child_process';
import { cpSync, globSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';
import { shippedAlgorithms } from '../src/decisions/shipped.ts';
import { buildWeb } from './build-web.ts';

const root = join(import.meta.dirname, '..');
const dist = join(root, 'dist');
const assets = ['src/**/*.{c,h,sh,sql,html,css}', 'src/**/*.client.js'];
// What src/assets.ts gives addresses of: threads, and decision algorithms, which threads load by name.
const addressed = [
  ...globSync('**/*-{thread,worker}.ts', { cwd: join(root, 'src') }),
  ...Object.keys(shippedAlgorithms).map((name) => `decisions/${name}.ts`),
];

rmSync(dist, { recursive: true, force: true });
await build({
  absWorkingDir: root,
  entryPoints: {
    cli: 'src/cli/main.ts',
    index: 'src/index.ts',
    client: 'src/api/client/index.ts',
    ...Object.fromEntries(
      addressed.map((file) => [file.replace(/\.ts$/, '').replaceAll('/', '.'), `src/${file}`]),
    ),
  },
  outdir: 'dist',
  bundle: true,
  splitting: true,
  packages: 'external',
  format: 'esm',
  platform: 'node',
  target: 'node24',
  chunkNames: '[name]-[hash]',
  logLevel: 'warning',
});
for (const asset of globSync(assets, { cwd: root })) {
  const target = join(dist, asset.slice('src/'.length));
  mkdirSync(dirname(target), { recursive: true });
  cpSync(join(root, asset), target);
}
await buildWeb(join(dist, 'web'));
const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
execFileSync(process.execPath, [compiler, '-p', join(root, 'tsconfig.build.json')], { stdio: 'inherit' });

const parts = readdirSync(dist).filter((file) => file.endsWith('.js'));
const bytes = parts.reduce((sum, file) => sum + statSync(join(dist, file)).size, 0);
console.log(`dist/: ${parts.length} parts, ${Math.round(bytes / 1024)} KiB of JavaScript`);

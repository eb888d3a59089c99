// The published JavaScript: a bundle with one lazy part per command, flat, so that src/assets.ts and src/version.ts find their files, and
// the assets beside it under their path below src/.
import { cpSync, globSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { build } from 'esbuild';
import { shippedAlgorithms } from '../src/decisions/shipped.ts';

const root = join(import.meta.dirname, '..');
const assets = ['src/**/*.{c,h,sh,sql,html,css}', 'src/**/*.client.js'];
// What src/assets.ts gives addresses of: threads, and decision algorithms, which threads load by name.
const addressed = [
  ...globSync('**/*-{thread,worker}.ts', { cwd: join(root, 'src'), exclude: ['web/**'] }),
  ...Object.keys(shippedAlgorithms).map((name) => `decisions/${name}.ts`),
];

/** Writes the bundle into an empty or absent folder. */
export async function bundle(folder: string): Promise<void> {
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
    outdir: folder,
    bundle: true,
    splitting: true,
    external: ['pg', 'quickjs-emscripten-core', '@jitl/*', 'fastify', 'ajv', 'typebox', 'openid-client'],
    // One part of the bundle instead of eighty files that every start would read; its form for browsers is the one in ES modules.
    alias: { yaml: join(root, 'node_modules/yaml/browser/index.js') },
    format: 'esm',
    platform: 'node',
    target: 'node24',
    chunkNames: '[name]-[hash]',
    logLevel: 'warning',
  });
  for (const asset of globSync(assets, { cwd: root, exclude: ['src/web/**'] })) {
    const target = join(folder, asset.slice('src/'.length));
    mkdirSync(dirname(target), { recursive: true });
    cpSync(join(root, asset), target);
  }
}

// The published JavaScript, flat, so that src/assets.ts and src/version.ts find their files, and the assets beside it under their path
// below src/. The command line is one file, because a start that reads eighty costs more than what it does; commands in it are still
// evaluated only when they are wanted. What programs import and what threads load is split into shared parts.
import { cpSync, globSync, mkdirSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join } from 'node:path';
import { type BuildOptions, build, type Plugin } from 'esbuild';
import { shippedAlgorithms } from '../src/decisions/shipped.ts';

const root = join(import.meta.dirname, '..');
const assets = ['src/**/*.{c,h,sh,sql,html,css}', 'src/**/*.client.js'];
// What src/assets.ts gives addresses of: threads, and decision algorithms, which threads load by name.
const addressed = [
  ...globSync('**/*-{thread,worker}.ts', { cwd: join(root, 'src'), exclude: ['web/**'] }),
  ...Object.keys(shippedAlgorithms).map((name) => `decisions/${name}.ts`),
];

const external = ['pg', 'quickjs-emscripten-core', '@jitl/*', 'fastify', 'ajv', 'typebox', 'openid-client'];

const common: BuildOptions = {
  absWorkingDir: root,
  bundle: true,
  // Its form for browsers is the one in ES modules.
  alias: { yaml: join(root, 'node_modules/yaml/browser/index.js') },
  format: 'esm',
  platform: 'node',
  target: 'node24',
  logLevel: 'warning',
};

/**
 * Whatever is outside the file is fetched where it is first used: an import of it would be hoisted to the top of the file, and every
 * start would load what any command may need.
 */
const fetchedWhenUsed: Plugin = {
  name: 'fetched-when-used',
  setup({ onResolve, onLoad }) {
    const namespace = 'outside';
    const packages = external.map((name) => name.replace(/\/\*$/, ''));
    const isOutside = (path: string): boolean =>
      isBuiltin(path) || packages.some((name) => path === name || path.startsWith(`${name}/`));
    onResolve({ filter: /^[^./]/ }, ({ path, kind, namespace: from }) => {
      if (from === namespace || kind === 'entry-point' || !isOutside(path)) return undefined;
      // A package that is imported by a call stays a call: only that way its own modules may wait for something.
      if (kind === 'dynamic-import') return { path, external: true };
      return { path, namespace };
    });
    onLoad({ filter: /.*/, namespace }, ({ path }) => {
      const name = JSON.stringify(path);
      if (isBuiltin(path)) return { contents: builtinModule(path, name), loader: 'js' };
      const contents = `module.exports = process.getBuiltinModule('node:module').createRequire(bundleUrl)(${name})`;
      return { contents, loader: 'js' };
    });
  },
};

/** Loaded when one of their functions is called: to load compression takes 5 ms, and hardly a start of the many that import it uses it. */
const loadedWhenCalled = ['node:zlib'];

/** A built-in module with those of its exports that are used: to copy all of them for every importer takes a tenth of a start. */
function builtinModule(path: string, name: string): string {
  const module = process.getBuiltinModule(path) as Readonly<Record<string, unknown>>;
  const names = Object.keys(module).filter((key) => key !== 'default');
  const isLate = (key: string): boolean =>
    loadedWhenCalled.includes(path) && typeof module[key] === 'function';
  return [
    `const found = /* @__PURE__ */ process.getBuiltinModule(${name});`,
    'const part = (key) => found[key];',
    `const late = (key) => (...values) => process.getBuiltinModule(${name})[key](...values);`,
    'export default found;',
    ...names.map(
      (key) => `export const ${key} = /* @__PURE__ */ ${isLate(key) ? 'late' : 'part'}('${key}');`,
    ),
  ].join('\n');
}

/** Writes the bundle into an empty or absent folder. */
export async function bundle(folder: string): Promise<void> {
  await build({
    ...common,
    entryPoints: { cli: 'src/cli/main.ts' },
    outdir: folder,
    minifyWhitespace: true,
    minifySyntax: true,
    banner: { js: 'const bundleUrl = import.meta.url;' },
    plugins: [fetchedWhenUsed],
  });
  await build({
    ...common,
    entryPoints: {
      index: 'src/index.ts',
      client: 'src/api/client/index.ts',
      ...Object.fromEntries(
        addressed.map((file) => [file.replace(/\.ts$/, '').replaceAll('/', '.'), `src/${file}`]),
      ),
    },
    outdir: folder,
    splitting: true,
    external,
    chunkNames: '[name]-[hash]',
  });
  for (const asset of globSync(assets, { cwd: root, exclude: ['src/web/**'] })) {
    const target = join(folder, asset.slice('src/'.length));
    mkdirSync(dirname(target), { recursive: true });
    cpSync(join(root, asset), target);
  }
}

// Bundles the web page (src/web) into a folder of static files: index.html, and assets whose names carry a hash of their contents. As a
// program, `node scripts/build-web.ts` puts them into a cache folder, once for each state of the sources, and prints where they are.
import { createHash } from 'node:crypto';
import {
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { type BuildOptions, build, type Metafile } from 'esbuild';

const root = join(import.meta.dirname, '..');
const source = join(root, 'src', 'web');
const cache = join(root, 'node_modules', '.cache', 'varve-web');
const watched = [
  'src/{web,api,core}/**/*.{ts,tsx,css,html,svg,json}',
  'schema/*.json',
  'package-lock.json',
  'scripts/build-web.ts',
];

const shared = {
  absWorkingDir: root,
  bundle: true,
  minify: true,
  format: 'esm',
  platform: 'browser',
  target: 'es2022',
  metafile: true,
  legalComments: 'none',
  logLevel: 'warning',
  jsx: 'automatic',
  jsxImportSource: 'preact',
} as const satisfies BuildOptions;

/** Writes the whole page below the folder, which must be empty or absent. */
export async function buildWeb(folder: string): Promise<void> {
  const assets = join(folder, 'assets');
  mkdirSync(assets, { recursive: true });
  const worker = await build({
    ...shared,
    entryPoints: ['src/web/graph/layout-worker.ts'],
    entryNames: '[name]-[hash]',
    outdir: assets,
  });
  const theme = await build({
    ...shared,
    entryPoints: ['src/web/base/first-paint.ts'],
    format: 'iife',
    entryNames: '[name]-[hash]',
    outdir: assets,
  });
  const page = await build({
    ...shared,
    entryPoints: { page: 'src/web/main.tsx' },
    splitting: true,
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    assetNames: '[name]-[hash]',
    outdir: assets,
    define: { LAYOUT_WORKER_URL: JSON.stringify(`/assets/${outputs(worker.metafile, '.js')[0]}`) },
  });
  const icon = readFileSync(join(source, 'icon.svg'));
  const iconName = `icon-${hash(icon).slice(0, 8).toUpperCase()}.svg`;
  writeFileSync(join(assets, iconName), icon);
  const html = readFileSync(join(source, 'index.html'), 'utf8')
    .replace('{icon}', iconName)
    .replace('{theme}', outputs(theme.metafile, '.js')[0] as string)
    .replace('{style}', entryOutput(page.metafile, '.css'))
    .replace('{script}', entryOutput(page.metafile, '.js'));
  writeFileSync(join(folder, 'index.html'), html);
  writeFileSync(join(folder, 'licenses.txt'), licenses([worker.metafile, theme.metafile, page.metafile]));
}

function outputs(metafile: Metafile, ending: string): string[] {
  return Object.keys(metafile.outputs)
    .map((file) => basename(file))
    .filter((file) => file.endsWith(ending));
}

function entryOutput(metafile: Metafile, ending: string): string {
  const found = outputs(metafile, ending).find((file) => file.startsWith('page-'));
  if (found === undefined) throw new Error(`the page has no ${ending} file`);
  return found;
}

function hash(text: string | Buffer): string {
  return createHash('sha256').update(text).digest('hex');
}

/** The bundle contains other people's work; their licences ask to be told. */
function licenses(metafiles: readonly Metafile[]): string {
  const packages = new Set<string>();
  for (const { inputs } of metafiles)
    for (const input of Object.keys(inputs)) {
      const name = /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(input)?.[1];
      if (name !== undefined) packages.add(name);
    }
  return [...packages]
    .sort()
    .map((name) => {
      const folder = join(root, 'node_modules', name);
      const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
      const { version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Record<
        string,
        string
      >;
      const text =
        file === undefined ? `License: ${license}` : readFileSync(join(folder, file), 'utf8').trim();
      return `${name} ${version}\n\n${text}\n`;
    })
    .join('\n----\n\n');
}

/** The folder of the page as the sources are now; built unless somebody did already. */
export async function cachedWeb(): Promise<string> {
  const stamp = createHash('sha256');
  for (const file of watched.flatMap((pattern) => globSync(pattern, { cwd: root })).sort()) {
    const { mtimeMs, size } = statSync(join(root, file));
    stamp.update(`${file} ${mtimeMs} ${size}\n`);
  }
  const folder = join(cache, stamp.digest('hex').slice(0, 16));
  if (existsSync(folder)) return folder;
  mkdirSync(cache, { recursive: true });
  const before = readdirSync(cache);
  const part = mkdtempSync(join(cache, 'part-'));
  await buildWeb(part);
  try {
    renameSync(part, folder);
  } catch {
    // Another process built the same at the same moment.
    rmSync(part, { recursive: true, force: true });
  }
  forget(before);
  return folder;
}

/** Earlier states, unless a server may still be reading them. */
function forget(folders: readonly string[]): void {
  const aDayAgo = Date.now() - 24 * 3600_000;
  for (const name of folders) {
    const old = join(cache, name);
    const { mtimeMs = 0 } = statSync(old, { throwIfNoEntry: false }) ?? {};
    if (mtimeMs > aDayAgo) continue;
    rmSync(old, { recursive: true, force: true });
  }
}

if (import.meta.main) console.log(await cachedWeb());

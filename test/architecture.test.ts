// The shape of the code (ARCHITECTURE.md, "Import rules"): who may import whom, no cycles, one reader of the environment.
import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { dirname, join, normalize } from 'node:path';
import { test } from 'node:test';

const root = join(import.meta.dirname, '..');

/** Parts that hold several independent implementations: their folders are parts of their own. */
const families = ['backends', 'storage', 'languages'];
/** They put implementations together, so they may import every other part. */
const compositionRoots = ['cli', 'server', 'worker', 'composition', 'varve.ts', 'index.ts'];
/** Files directly in src/ that every part but core may use; they import nothing of ours. */
const foundation = ['assets.ts', 'version.ts'];
/** The core is pure: of Node it may use what computes, not what acts. */
const pureModules = ['node:crypto'];
const environmentReader = 'config/environment.ts';

interface Import {
  readonly from: string;
  readonly to: string;
  readonly line: number;
  readonly typeOnly: boolean;
  readonly lazy: boolean;
}

const files = globSync('**/*.{ts,tsx}', { cwd: join(root, 'src') }).sort();
const imports = files.flatMap(importsOf);
const ours = imports.filter(({ to }) => !isPackage(to));

function importsOf(from: string): Import[] {
  const text = readFileSync(join(root, 'src', from), 'utf8');
  const found: Import[] = [];
  const add = (specifier: string, index: number, kind: { typeOnly: boolean; lazy: boolean }): void => {
    const to = specifier.startsWith('.') ? normalize(join(dirname(from), specifier)) : specifier;
    found.push({ from, to, line: text.slice(0, index).split('\n').length, ...kind });
  };
  for (const match of text.matchAll(/^(?:import|export)\s(type\s)?([^;'"]*?\sfrom\s+)?'([^']+)';/gm)) {
    const names = /\{([^}]*)\}/.exec(match[2] ?? '')?.[1]?.split(',') ?? [];
    const written = names.map((name) => name.trim()).filter((name) => name !== '');
    const onlyTypes = written.length > 0 && written.every((name) => name.startsWith('type '));
    add(match[3]!, match.index, { typeOnly: match[1] !== undefined || onlyTypes, lazy: false });
  }
  for (const match of text.matchAll(/\bimport\(\s*'([^']+)'/g)) {
    add(match[1]!, match.index, { typeOnly: false, lazy: true });
  }
  return found;
}

function isPackage(specifier: string): boolean {
  return !/\.(tsx?|css)$/.test(specifier);
}

/** `store`, `backends/local`, `index.ts`; a file directly in a family's folder belongs to the family itself. */
function partOf(file: string): string {
  const [first = '', second = ''] = file.split('/');
  return families.includes(first) && file.split('/').length > 2 ? `${first}/${second}` : first;
}

function mayImport(from: string, to: string): boolean {
  const [source, target] = [partOf(from), partOf(to)];
  if (source === target) return true;
  if (source === 'core' || foundation.includes(source)) return false;
  if (source === 'web' && foundation.includes(target)) return false;
  if (target === 'core' || foundation.includes(target)) return true;
  if (source.startsWith(`${target}/`)) return true;
  // The page in the browser knows the server by its API alone.
  if (source === 'web') return target === 'api';
  if (compositionRoots.includes(source)) return target !== 'cli' && target !== 'web';
  return false;
}

function list(problems: readonly string[]): string {
  return `\n${problems.join('\n')}\n`;
}

test('core imports nothing outside, siblings never import each other, only composition roots know implementations', () => {
  const problems = ours
    .filter(({ from, to }) => !mayImport(from, to))
    .map(({ from, to, line }) => `src/${from}:${line} must not import src/${to}`);
  assert.deepEqual(problems, [], list(problems));
});

test('every import names a file that exists, with its extension', () => {
  const problems = imports
    .filter(({ to, from }) =>
      isPackage(to) ? to.startsWith('.') || to.startsWith(dirname(from)) : !existsSync(join(root, 'src', to)),
    )
    .map(({ from, to, line }) => `src/${from}:${line} imports ${to}`);
  assert.deepEqual(problems, [], list(problems));
});

test('the core uses no module of Node that acts on the world', () => {
  const problems = imports
    .filter(({ from, to }) => partOf(from) === 'core' && isPackage(to) && !pureModules.includes(to))
    .map(({ from, to, line }) => `src/${from}:${line} imports ${to}`);
  assert.deepEqual(problems, [], list(problems));
});

test('no files import each other in a circle', () => {
  const next = new Map<string, string[]>();
  for (const { from, to, typeOnly, lazy } of ours) {
    if (!typeOnly && !lazy) next.set(from, [...(next.get(from) ?? []), to]);
  }
  const done = new Set<string>();
  const circles: string[] = [];
  const visit = (file: string, path: readonly string[]): void => {
    if (path.includes(file)) circles.push([...path.slice(path.indexOf(file)), file].join(' → '));
    if (done.has(file) || path.includes(file)) return;
    for (const to of next.get(file) ?? []) visit(to, [...path, file]);
    done.add(file);
  };
  for (const file of files) visit(file, []);
  assert.deepEqual(circles, [], list(circles));
});

test('what the sources import is a declared dependency', () => {
  const { dependencies, devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>;
    devDependencies: Record<string, string>;
  };
  const unknown = imports.filter(({ from, to: name }) => {
    if (!isPackage(name)) return false;
    if (name.startsWith('node:'))
      return !builtinModules.includes(name.slice(5)) && !builtinModules.includes(name);
    const packageName = name
      .split('/')
      .slice(0, name.startsWith('@') ? 2 : 1)
      .join('/');
    // The web page is bundled with all that it needs; whoever installs the package needs nothing for it.
    return !Object.hasOwn(partOf(from) === 'web' ? devDependencies : dependencies, packageName);
  });
  assert.deepEqual(unknown, []);
});

test('only one file reads the environment', () => {
  // Handing the environment on whole to a system program, as `{ ...process.env }`, decides nothing of ours.
  const reads = /(?<!\.\.\.)\bprocess\.env\b/;
  const readers = files.filter((file) => reads.test(readFileSync(join(root, 'src', file), 'utf8')));
  assert.deepEqual(readers, [environmentReader]);
});

test('only the foundation knows where files lie, because a bundle lies elsewhere', () => {
  const wrong = files.filter(
    (file) =>
      !foundation.includes(file) &&
      /\bimport\.meta\.(url|dirname|filename)\b/.test(readFileSync(join(root, 'src', file), 'utf8')),
  );
  assert.deepEqual(wrong, [], 'use assetPath of src/assets.ts');
});

test('modules and assets that are named by their path exist, and the build makes entries of the modules', () => {
  for (const file of files) {
    const text = readFileSync(join(root, 'src', file), 'utf8').replace(/^\s*(\/\/|\/\*\*).*$/gm, '');
    for (const [, kind, name] of text.matchAll(/\b(assetPath|moduleUrl)\('([^']+)'\)/g)) {
      const path = kind === 'moduleUrl' ? `${name}.ts` : name!;
      assert.ok(existsSync(join(root, 'src', path)), `src/${file} names ${path}`);
      if (kind === 'moduleUrl')
        assert.match(path, /-(thread|worker)\.ts$/, `src/${file}: see scripts/build.ts`);
    }
  }
});

test('no file is a drawer', () => {
  const drawers = files.filter((file) =>
    /(^|\/)(utils?|helpers?|common|types|misc|shared)(\.ts|\/)/.test(file),
  );
  assert.deepEqual(drawers, []);
});

test('the lock file names no registry and lists the packages of every platform', () => {
  const text = readFileSync(join(root, 'package-lock.json'), 'utf8');
  assert.doesNotMatch(text, /"resolved": "https?:/);
  const { packages } = JSON.parse(text) as {
    packages: Record<string, { optionalDependencies?: Record<string, string> }>;
  };
  const missing = Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies).filter(
      (name) => !(`node_modules/${name}` in packages) && !(`${path}/node_modules/${name}` in packages),
    ),
  );
  assert.deepEqual(missing, [], 'npm ci refuses a lock file without them');
});

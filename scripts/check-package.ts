// Packs a clean clone of HEAD, installs the package into an empty folder, and uses it there as a stranger would: the command, the
// library, its types. Ends with 1 and the output of the step that failed.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { runPage } from './documents/run-page.ts';

const root = join(import.meta.dirname, '..');
const maxPackageBytes = 5_000_000;
const work = mkdtempSync(join(tmpdir(), 'varve-package-'));
const clone = join(work, 'clone');
const consumer = join(work, 'consumer');
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  version: string;
  devDependencies: Record<string, string>;
};
const { version } = manifest;
const nodeTypes = manifest.devDependencies['@types/node'];
const archive = join(work, `varve-${version}.tgz`);

// npm would tell its children of the folder that it was started in.
const inherited = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(npm_|INIT_CWD|NODE_OPTIONS)/.test(name)),
);
const env = {
  ...inherited,
  PATH: [dirname(process.execPath), process.env.PATH].join(delimiter),
  VARVE_HOME: join(work, 'home'),
};

class StepFailed extends Error {}

function run(folder: string, program: string, ...args: string[]): string {
  const result = spawnSync(program, args, { cwd: folder, env, encoding: 'utf8', timeout: 10 * 60_000 });
  if (result.status === 0) return result.stdout.trim();
  const reason = result.error?.message ?? `exit code ${result.status}`;
  throw new StepFailed(`${program} ${args.join(' ')}: ${reason}\n${result.stdout}\n${result.stderr}`);
}

function expect(what: string, actual: unknown, wanted: unknown): void {
  if (actual !== wanted) throw new StepFailed(`${what}: expected ${wanted}, found ${actual}`);
}

const usesLibrary = `import { VarveError, version } from 'varve';
import { VarveClient } from 'varve/client';
const error = new VarveError('missing', 'X', 'gone');
const client = new VarveClient({ url: 'http://127.0.0.1:9', retries: 0 });
const refused = await client.listRuns({}).catch(({ code }) => code);
console.log(version, error.kind, refused);
`;

const usesTypes = `import { type ErrorKind, VarveError, version } from 'varve';
import { VarveClient } from 'varve/client';
const kind: ErrorKind = new VarveError('missing', 'X', 'gone').kind;
const text: string = version;
const run: Promise<{ state: string }> = new VarveClient({ url: 'http://127.0.0.1:9' }).getRun({ run: 1 });
// @ts-expect-error there is no such kind
const wrong: ErrorKind = 'nonsense';
export { kind, run, text, wrong };
`;

const strangersTsconfig = {
  compilerOptions: {
    module: 'nodenext',
    target: 'es2022',
    strict: true,
    noEmit: true,
    // The declarations speak of Buffer and of Node's file system, as those of most libraries for Node do.
    types: ['node'],
    skipLibCheck: false,
  },
  files: ['consumer.ts'],
};

const steps: readonly [string, () => unknown][] = [
  ['clone HEAD', () => void run(root, 'git', 'clone', '--quiet', '--no-hardlinks', root, clone)],
  ['npm ci', () => void run(clone, 'npm', 'ci', '--no-audit', '--no-fund')],
  [
    'the README, in the clone, with npm as it is',
    () => {
      const beside = join(work, 'reader');
      mkdirSync(beside);
      try {
        runPage(join(clone, 'README.md'), { folder: clone, home: beside, path: [dirname(process.execPath)] });
      } catch (error) {
        throw new StepFailed((error as Error).message);
      }
    },
  ],
  [
    'npm pack',
    () => {
      run(clone, 'npm', 'pack', '--pack-destination', work);
      const { size } = statSync(archive);
      if (size > maxPackageBytes) throw new StepFailed(`the package has ${size} bytes`);
      return `${Math.round(size / 1024)} KiB`;
    },
  ],
  [
    'install into an empty folder',
    () => {
      mkdirSync(consumer);
      writeFileSync(
        join(consumer, 'package.json'),
        '{ "name": "consumer", "private": true, "type": "module" }',
      );
      run(consumer, 'npm', 'install', '--no-audit', '--no-fund', archive, `@types/node@${nodeTypes}`);
      return undefined;
    },
  ],
  ['npx varve --version', () => expect('version', run(consumer, 'npx', 'varve', '--version'), version)],
  ['npx varve doctor', () => void run(consumer, 'npx', 'varve', 'doctor')],
  [
    'npx varve run, twice',
    () => {
      const example = join('node_modules', 'varve', 'examples', '01-hello', 'workflow.json');
      const counts = [1, 2].map(() => {
        const { actions } = JSON.parse(run(consumer, 'npx', 'varve', 'run', example, '--json')) as {
          actions: { computed: number };
        };
        return actions.computed;
      });
      expect('actions computed by the first and the second run', counts.join(' '), '2 0');
    },
  ],
  [
    'npx cwl-runner',
    () => {
      const tool = { cwlVersion: 'v1.2', class: 'CommandLineTool', baseCommand: 'echo', stdout: 'said' };
      const said = { message: { type: 'string', inputBinding: {} } };
      writeFileSync(
        join(consumer, 'echo.cwl'),
        JSON.stringify({ ...tool, inputs: said, outputs: { out: 'stdout' } }),
      );
      const answer = run(consumer, 'npx', 'cwl-runner', '--quiet', 'echo.cwl', '--message', 'hello');
      const { out } = JSON.parse(answer) as { out: { path: string } };
      expect('what the tool said', readFileSync(out.path, 'utf8'), 'hello\n');
    },
  ],
  [
    'npx varve init, demo',
    () => {
      run(consumer, 'npx', 'varve', 'init', 'project');
      run(join(consumer, 'project'), 'npx', 'varve', 'run', 'workflow.yaml');
      run(consumer, 'npx', 'varve', 'demo');
    },
  ],
  [
    'the documentation, and the example of the library',
    () => {
      const pages = join(consumer, 'node_modules', 'varve', 'dist', 'docs');
      statSync(join(pages, 'guide', 'first-workflow.html'));
      cpSync(join(consumer, 'node_modules', 'varve', 'examples'), join(consumer, 'examples'), {
        recursive: true,
      });
      const told = run(consumer, process.execPath, join('examples', '08-typescript-api', 'analyse.ts'), '4');
      expect('sum of squares', /^sum: .*$/m.exec(told)?.[0], 'sum: 30');
    },
  ],
  [
    'import from varve',
    () => {
      writeFileSync(join(consumer, 'consumer.js'), usesLibrary);
      expect(
        'library',
        run(consumer, process.execPath, 'consumer.js'),
        `${version} missing SERVER_UNREACHABLE`,
      );
      return undefined;
    },
  ],
  [
    'types of varve',
    () => {
      writeFileSync(join(consumer, 'consumer.ts'), usesTypes);
      writeFileSync(join(consumer, 'tsconfig.json'), JSON.stringify(strangersTsconfig));
      run(consumer, process.execPath, join(root, 'node_modules', 'typescript', 'bin', 'tsc'), '-p', '.');
      return undefined;
    },
  ],
];

try {
  for (const [name, step] of steps) {
    const started = performance.now();
    const note = step();
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    console.log(`package: ${name}${typeof note === 'string' ? ` (${note})` : ''}, ${seconds} s`);
  }
} catch (error) {
  if (!(error instanceof StepFailed)) throw error;
  console.error(`package: ${error.message}`);
  process.exitCode = 1;
} finally {
  rmSync(work, { recursive: true, force: true });
}

// `npm run bench -- --install-peers [name …]`: what pip, npm and Maven offer, each into a folder of its own below bench/peers. What cannot be
// installed is said and left out; the benchmarks go on without it.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { peersFolder } from '../engines/folder.ts';

/** Python packages, each with an environment of its own, since their dependencies contradict each other. */
const python: Readonly<Record<string, readonly string[]>> = {
  snakemake: ['snakemake'],
  redun: ['redun'],
  luigi: ['luigi'],
  cwltool: ['cwltool'],
  toil: ['toil[cwl]'],
  dbos: ['dbos'],
  // Later releases of Prefect do not start with the FastAPI that they ask for.
  prefect: ['prefect==3.4.*', 'fastapi<0.116'],
  'apache-airflow': ['apache-airflow'],
};

const javascript = ['graphile-worker@0.18.0', 'pg-boss@12.35.0'];

/** Nextflow without the file system over HTTP, which the repository lacks and no benchmark needs. */
const pom = `<project><modelVersion>4.0.0</modelVersion>
<groupId>bench</groupId><artifactId>nextflow</artifactId><version>1</version>
<dependencies><dependency>
  <groupId>io.nextflow</groupId><artifactId>nextflow</artifactId><version>24.10.5</version>
  <exclusions><exclusion><groupId>io.nextflow</groupId><artifactId>nf-httpfs</artifactId></exclusion></exclusions>
</dependency></dependencies></project>
`;

function run(program: string, args: readonly string[], cwd: string): string | undefined {
  const { status, stderr, error } = spawnSync(program, args, { cwd, encoding: 'utf8' });
  if (status === 0) return undefined;
  return error?.message ?? stderr.trim().split('\n').at(-1) ?? `exit code ${status}`;
}

function installPython(name: string): string | undefined {
  const own = join(peersFolder, name);
  const made = existsSync(join(own, 'bin', 'python'))
    ? undefined
    : run('python3', ['-m', 'venv', own], peersFolder);
  return made ?? run(join(own, 'bin', 'pip'), ['install', '--quiet', ...python[name]!], peersFolder);
}

function installNextflow(): string | undefined {
  const own = join(peersFolder, 'nextflow');
  mkdirSync(own, { recursive: true });
  writeFileSync(join(own, 'pom.xml'), pom);
  return run('mvn', ['-q', '-B', 'dependency:copy-dependencies', '-DoutputDirectory=lib'], own);
}

function installJavaScript(): string | undefined {
  writeFileSync(join(peersFolder, 'package.json'), '{"private":true}\n');
  return run('npm', ['install', '--no-audit', '--no-fund', ...javascript], peersFolder);
}

/** Installs the named peers, or all; what is there already is brought up to date. */
export async function installPeers(names: readonly string[]): Promise<void> {
  const peers: Record<string, () => string | undefined> = {
    ...Object.fromEntries(Object.keys(python).map((name) => [name, () => installPython(name)])),
    nextflow: installNextflow,
    'graphile-worker and pg-boss': installJavaScript,
  };
  mkdirSync(peersFolder, { recursive: true });
  const unknown = names.filter((name) => !(name in peers));
  if (unknown.length > 0) {
    console.error(`no such peer: ${unknown.join(', ')}; there are ${Object.keys(peers).join(', ')}`);
    process.exitCode = 2;
    return;
  }
  console.log(
    'make and xargs: apt-get install make findutils time; Nextflow also needs default-jre-headless and maven',
  );
  for (const [name, install] of Object.entries(peers)) {
    if (names.length > 0 && !names.includes(name)) continue;
    process.stdout.write(`${name} … `);
    const wrong = install();
    console.log(wrong === undefined ? 'installed' : `not installed: ${wrong}`);
  }
}

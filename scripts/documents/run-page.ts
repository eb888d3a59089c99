// Does what a page tells its reader, in a folder, with a home and an environment of its own, and reports where the page is wrong.
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { compareOutput, type Signatures, withRealSignatures } from './compare-output.ts';
import { type CommandStep, type PageStep, pageSteps } from './page-blocks.ts';

export interface PageWorld {
  /** Where the reader begins; must exist. */
  readonly folder: string;
  /** A folder beside it for the home of varve and for what the run itself needs. */
  readonly home: string;
  /** Folders of programs to look into first. */
  readonly path: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

const timeoutMs = 5 * 60_000;

/** Follows the page; throws at the first step that goes otherwise than the page says. */
export function runPage(name: string, world: PageWorld): void {
  const signatures: Signatures = new Map();
  let folder = world.folder;
  for (const step of pageSteps(readFileSync(name, 'utf8')).steps) {
    const place = `${name}:${step.line}`;
    if (step.kind === 'file') writeStep(folder, step);
    else folder = runStep(step, place, folder, world, signatures);
  }
}

function writeStep(folder: string, step: Extract<PageStep, { kind: 'file' }>): void {
  const path = join(folder, step.path);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, step.content);
  if (step.content.startsWith('#!')) chmodSync(path, 0o755);
}

/** Returns the folder in which the reader then is. */
function runStep(
  step: CommandStep,
  place: string,
  folder: string,
  world: PageWorld,
  signatures: Signatures,
): string {
  const command = withRealSignatures(step.command, signatures);
  mkdirSync(world.home, { recursive: true });
  const left = join(world.home, '.folder-of-the-reader');
  const script = `exec 2>&1\ntrap 'pwd -P > "${left}"' EXIT\n${step.expected ? '' : 'set -e\n'}${command}\n`;
  const { status, stdout, error } = spawnSync('/bin/sh', ['-c', script], {
    cwd: folder,
    env: {
      HOME: world.home,
      LANG: 'C.UTF-8',
      VARVE_HOME: join(world.home, 'varve'),
      PATH: [...world.path, process.env.PATH].join(delimiter),
      ...world.env,
    },
    encoding: 'utf8',
    timeout: timeoutMs,
  });
  if (error) throw new Error(`${place}: ${command}: ${error.message}`);
  const told = `${place}: $ ${command}\n${stdout}\n`;
  if (status !== step.exitCode) throw new Error(`${told}ended with ${status}, not ${step.exitCode}`);
  if (step.expected) {
    const difference = compareOutput(step.expected, stdout.replace(/\n$/, '').split('\n'), signatures);
    if (difference !== undefined) throw new Error(`${told}differs from the page:\n  ${difference}`);
  }
  const next = readFileSync(left, 'utf8').trim();
  rmSync(left);
  return next;
}

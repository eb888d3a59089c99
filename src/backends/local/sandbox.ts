// Confines jobs with bubblewrap: the file system is read-only but for the attempt's own directory, /tmp is private, what belongs to Varve
// is hidden but for the job's inputs, other processes are not seen, and there is no network unless it was declared.
import { execFile } from 'node:child_process';
import { accessSync, constants, existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { BackendJob, Confinement } from '../../core/ports/backend.ts';
import { localErrors } from './error-codes.ts';

export interface SandboxOptions {
  /** `on` makes do without where it is impossible, `required` refuses to run anything then. */
  readonly mode: 'on' | 'required';
  /** Folders of which a job sees nothing but its own directory and what it reads. */
  readonly hidden: readonly string[];
  /** Where programs are looked for. */
  readonly path: string;
  /** Told once when `on` has to make do without. */
  readonly warn?: ((message: string) => void) | undefined;
}

export interface Sandbox {
  /** Throws when confinement is required and impossible here: to be asked before work is taken. */
  ready(): Promise<void>;
  /** Makes a confined job of a job. */
  confine(job: BackendJob): Promise<BackendJob>;
}

const execute = promisify(execFile);
const probeTimeoutMs = 10_000;
const nothing: Confinement = { network: false, reads: [] };

/** Looks for bubblewrap when first needed, and tries it. */
export function createSandbox({ mode, hidden, path, warn }: SandboxOptions): Sandbox {
  let looking: Promise<string | undefined> | undefined;
  const look = async (): Promise<string | undefined> => {
    const found = await findBubblewrap(path);
    if ('program' in found) return found.program;
    if (mode === 'required') throw localErrors.LOCAL_SANDBOX_MISSING(found.reason);
    warn?.(`actions run without a sandbox: ${found.reason}`);
    return undefined;
  };
  const found = (): Promise<string | undefined> => (looking ??= look());
  return {
    ready: async () => void (await found()),
    async confine(job) {
      if (job.confine === 'container') return job;
      const program = await found();
      return program === undefined ? job : { ...job, argv: confinedArgv(program, job, hidden) };
    },
  };
}

/** The program that works on this machine, or the reason why there is none. */
export async function findBubblewrap(
  path: string,
): Promise<{ readonly program: string } | { readonly reason: string }> {
  const program = path
    .split(':')
    .map((folder) => join(folder, 'bwrap'))
    .find(isExecutable);
  if (program === undefined) return { reason: 'bwrap is not installed; install bubblewrap' };
  try {
    const base = baseArguments({ network: false });
    await execute(program, [...base, '--', '/bin/sh', '-c', ':'], { timeout: probeTimeoutMs });
    return { program };
  } catch (error) {
    const said = (error as { stderr?: string }).stderr?.trim().split('\n').at(-1) ?? '';
    return { reason: `${program} does not work here: ${said || (error as Error).message}` };
  }
}

function isExecutable(program: string): boolean {
  try {
    accessSync(program, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** The command line that runs a job's command confined. */
export function confinedArgv(program: string, job: BackendJob, hidden: readonly string[]): string[] {
  const confine = typeof job.confine === 'object' ? job.confine : nothing;
  const covered = ['/tmp', ...hidden.filter((folder) => existsSync(folder))];
  const isCovered = (path: string): boolean =>
    covered.some((folder) => path === folder || path.startsWith(`${folder}/`));
  const reads = [...new Set(confine.reads)].filter((path) => isCovered(path) && existsSync(path));
  // What lies deeper is mounted later, so that nothing is covered again.
  const inside = [
    ...covered.slice(1).map((path) => ['--tmpfs', path]),
    ...reads.map((path) => ['--ro-bind', path, path]),
    ['--bind', job.directory, job.directory],
  ].sort((a, b) => (a[1] as string).length - (b[1] as string).length);
  return [program, ...baseArguments(confine), ...inside.flat(), '--chdir', job.cwd, '--', ...job.argv];
}

/** No session of its own: the job stays in the group that is ended with it. */
function baseArguments({ network }: Pick<Confinement, 'network'>): string[] {
  return [
    '--ro-bind',
    '/',
    '/',
    '--dev',
    '/dev',
    '--proc',
    '/proc',
    '--tmpfs',
    '/tmp',
    '--unshare-pid',
    '--unshare-ipc',
    ...(network ? [] : ['--unshare-net']),
  ];
}

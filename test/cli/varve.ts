// Runs the `varve` command as users do: a real process, with a home folder of its own and nothing of the caller's environment.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const varveBin = fileURLToPath(new URL('../../bin/varve.mjs', import.meta.url));

export interface VarveRun {
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface VarveRunOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly nodeArguments?: readonly string[];
}

/** A temporary folder that is removed when the test ends. */
export function temporaryFolder(t: { after(action: () => void): void }): string {
  const folder = mkdtempSync(join(tmpdir(), 'varve-test-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Starts varve with the home folder; the caller watches the process. */
export function startVarve(home: string, args: readonly string[], options: VarveRunOptions = {}) {
  return spawn(process.execPath, [...(options.nodeArguments ?? []), varveBin, ...args], {
    cwd: options.cwd ?? home,
    env: { PATH: process.env.PATH, HOME: home, VARVE_HOME: home, ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** Runs varve to its end. */
export async function runVarve(
  home: string,
  args: readonly string[],
  options: VarveRunOptions = {},
): Promise<VarveRun> {
  const child = startVarve(home, args, options);
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const exitCode = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { exitCode, stdout, stderr };
}

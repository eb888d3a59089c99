// Compiles launcher.c once per version of its source and kind of machine, into a folder that processes share: each
// compiles to a name of its own and renames, so the program is there whole or not at all.
import { execFile } from 'node:child_process';
import { hash, randomBytes } from 'node:crypto';
import { access, constants, mkdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { assetPath } from '../../assets.ts';
import { localErrors } from './error-codes.ts';

const run = promisify(execFile);

/** The path of the compiled launcher. Throws LOCAL_COMPILE_FAILED when there is no compiler, or it fails. */
export async function compileLauncher(cacheDirectory: string, compiler: string): Promise<string> {
  const source = assetPath('backends/local/launcher.c');
  const version = hash('sha256', await readFile(source)).slice(0, 16);
  const program = join(cacheDirectory, `launcher-${process.platform}-${process.arch}-${version}`);
  if (await isExecutable(program)) return program;
  const draft = `${program}.${process.pid}.${randomBytes(4).toString('hex')}`;
  try {
    await mkdir(cacheDirectory, { recursive: true });
    await run(compiler, ['-O2', '-std=gnu11', '-w', '-o', draft, source], { timeout: 60_000 });
    await rename(draft, program);
  } catch (error) {
    await rm(draft, { force: true });
    const { message, stderr } = error as Error & { stderr?: string };
    const reason = stderr?.split('\n').find((line) => line.includes('error')) ?? message;
    throw localErrors.LOCAL_COMPILE_FAILED.with({ cause: error }, compiler, reason);
  }
  return program;
}

async function isExecutable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

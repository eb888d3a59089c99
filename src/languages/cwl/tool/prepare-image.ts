// Makes the images of DockerRequirements available with the engine's own commands, each once per process.
import { spawn } from 'node:child_process';
import type { ContainerEngineName } from '../../../core/container-argv.ts';
import { cwlErrors } from '../error-codes.ts';
import type { DockerRequirement } from '../model/requirement.ts';
import { planImage } from './container-image.ts';

/** A function that makes an image available and returns the name to run it by. */
export function imagePreparer(
  engine: ContainerEngineName,
  environment: Readonly<Record<string, string>>,
): (requirement: DockerRequirement) => Promise<string> {
  const known = new Map<string, Promise<string>>();
  return (requirement) => {
    const key = JSON.stringify(requirement);
    let image = known.get(key);
    if (image === undefined) {
      image = prepare(requirement, engine, environment);
      image.catch(() => known.delete(key));
      known.set(key, image);
    }
    return image;
  };
}

async function prepare(
  requirement: DockerRequirement,
  engine: ContainerEngineName,
  environment: Readonly<Record<string, string>>,
): Promise<string> {
  const { image, check, make } = planImage(requirement, engine);
  if ((await run(check, undefined, environment)).code === 0) return image;
  for (const { argv, input } of make) {
    const { code, stderr } = await run(argv, input, environment);
    if (code !== 0) throw cwlErrors.CWL_IMAGE(image, stderr.trim().split('\n').at(-1) ?? `exit code ${code}`);
  }
  if (make.length === 0) throw cwlErrors.CWL_IMAGE(image, 'it is not there, and nothing says how to get it');
  return image;
}

function run(
  argv: readonly string[],
  input: string | undefined,
  env: Readonly<Record<string, string>>,
): Promise<{ code: number; stderr: string }> {
  return new Promise((resolve) => {
    const [program, ...args] = argv;
    const child = spawn(program!, args, { env: { ...env }, stdio: ['pipe', 'ignore', 'pipe'] });
    let stderr = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr = (stderr + text).slice(-4096);
    });
    child.stdin.on('error', () => {});
    child.stdin.end(input ?? '');
    child.on('error', (error) => resolve({ code: 127, stderr: error.message }));
    child.on('close', (code) => resolve({ code: code ?? 128, stderr }));
  });
}

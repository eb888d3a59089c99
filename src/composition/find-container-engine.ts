// Finds the container program that the configuration allows: asked once per process and engine.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { type ContainerEngineName, removeContainerArgv } from '../core/container-argv.ts';
import type { FindContainerEngine } from '../languages/varve/container-job.ts';

const run = promisify(execFile);
const engines: readonly ContainerEngineName[] = ['docker', 'podman', 'apptainer'];
/** Arguments that succeed only when the engine can really run something. */
const probes: Record<ContainerEngineName, readonly string[]> = {
  docker: ['info'],
  podman: ['info'],
  apptainer: ['--version'],
};

export function containerEngines(allowed: ContainerEngineName | 'auto' | 'none'): FindContainerEngine {
  const works = new Map<ContainerEngineName, Promise<boolean>>();
  const probe = (engine: ContainerEngineName): Promise<boolean> => {
    let known = works.get(engine);
    if (!known) {
      known = run(engine, [...probes[engine]], { timeout: 10_000 }).then(
        () => true,
        () => false,
      );
      works.set(engine, known);
    }
    return known;
  };
  return async (wanted) => {
    const candidates = engines.filter(
      (engine) =>
        allowed !== 'none' &&
        (wanted === undefined || wanted === engine) &&
        (allowed === 'auto' || allowed === engine),
    );
    for (const engine of candidates) if (await probe(engine)) return engine;
    return undefined;
  };
}

/** Ends and removes a container; one that is not there, or an engine that does not answer, is nothing to complain about. */
export async function removeContainer(
  engine: ContainerEngineName,
  name: string,
  env: Readonly<Record<string, string>>,
): Promise<void> {
  const [program, ...args] = removeContainerArgv(engine, name) ?? [];
  if (program !== undefined)
    await run(program, args, { timeout: 30_000, env: { ...env } }).catch(() => undefined);
}

// Finds the container program that the configuration allows: asked once per process and engine.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { ContainerEngineName } from '../core/container-argv.ts';
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

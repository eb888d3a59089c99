// The container engine of this machine for CWL tools: looked for when the first tool asks for it.
import type { Environment } from '../config/environment.ts';
import type { ContainerEngineName } from '../core/container-argv.ts';
import type { ContainerRun } from '../languages/cwl/index.ts';
import { engineEnvironment } from './engine-environment.ts';
import { containerEngines, removeContainer } from './find-container-engine.ts';

/** The engine that the configuration allows and that works; undefined when there is none. */
export function cwlContainers(
  allowed: ContainerEngineName | 'auto' | 'none',
  environment: Environment,
): () => Promise<ContainerRun | undefined> {
  const find = containerEngines(allowed);
  let found: Promise<ContainerRun | undefined> | undefined;
  const look = async (): Promise<ContainerRun | undefined> => {
    const engine = await find(undefined);
    if (engine === undefined) return undefined;
    const { imagePreparer } = await import('../languages/cwl/index.ts');
    const variables = engineEnvironment(environment);
    const uid = process.getuid?.();
    return {
      engine,
      environment: variables,
      image: imagePreparer(engine, variables),
      remove: (name) => removeContainer(engine, name, variables),
      user: uid === undefined ? undefined : { uid, gid: process.getgid!() },
    };
  };
  return () => (found ??= look());
}

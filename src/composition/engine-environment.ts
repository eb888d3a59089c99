// What a container engine itself finds in its environment: its own configuration, and nothing else of the caller's.
import { type Environment, variable } from '../config/environment.ts';

/** What docker, podman and apptainer look at besides their own files. */
const passedOn = [
  'PATH',
  'HOME',
  'USER',
  'XDG_RUNTIME_DIR',
  'XDG_CONFIG_HOME',
  'XDG_DATA_HOME',
  'DOCKER_HOST',
  'DOCKER_CONFIG',
  'DOCKER_CONTEXT',
  'CONTAINER_HOST',
  'CONTAINERS_CONF',
  'CONTAINERS_STORAGE_CONF',
  'APPTAINER_CACHEDIR',
  'APPTAINER_TMPDIR',
];

/** The variables that container engines need. */
export function engineEnvironment(environment: Environment): Record<string, string> {
  return Object.fromEntries(
    passedOn.flatMap((name) => {
      const value = variable(environment, name);
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

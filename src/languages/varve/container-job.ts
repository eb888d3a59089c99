// A job turned into one that runs the same command in a container.
import { dirname } from 'node:path';
import { type ContainerEngineName, containerArgv, containerName } from '../../core/container-argv.ts';
import type { BackendJob } from '../../core/ports/backend.ts';
import type { AttemptSpace } from '../../core/ports/storage.ts';
import type { CommandSpec } from './command-spec.ts';
import { languageErrors } from './error-codes.ts';

/** A working engine, the wanted one if given; undefined when there is none. */
export type FindContainerEngine = (
  wanted: ContainerEngineName | undefined,
) => Promise<ContainerEngineName | undefined>;

export interface ContainerOptions {
  readonly containerEngine?: FindContainerEngine;
  /** Ends and removes a container, if it is there. */
  readonly removeContainer?: (engine: ContainerEngineName, name: string) => Promise<void>;
  /** What a container engine itself needs in its environment, such as DOCKER_HOST. */
  readonly engineEnvironment?: Readonly<Record<string, string>>;
  /** Further arguments for `run` of an engine. */
  readonly engineArguments?: Readonly<Partial<Record<ContainerEngineName, readonly string[]>>>;
}

/** Beyond this many places their common folders are mounted instead, or the argument list would burst. */
const mostMounts = 200;

/** Wraps a job; `places` are what the command may read outside its own directories. */
export async function containerJob(
  job: BackendJob,
  spec: CommandSpec,
  space: AttemptSpace,
  places: readonly string[],
  options: ContainerOptions,
): Promise<BackendJob> {
  const wanted = spec.container!.engine;
  const engine = await options.containerEngine?.(wanted);
  if (engine === undefined)
    throw languageErrors.CONTAINER_ENGINE_MISSING(wanted ?? 'docker, podman or apptainer');
  const distinct = [...new Set(places)];
  const readable = distinct.length > mostMounts ? [...new Set(distinct.map(dirname))] : distinct;
  const uid = process.getuid?.();
  const command = containerArgv({
    engine,
    image: spec.container!.image!,
    digest: spec.container!.digest,
    name: containerName(job.key),
    argv: job.argv,
    env: job.env,
    cwd: job.cwd,
    mounts: [
      ...readable.map((path) => ({ path, writable: false })),
      { path: space.work, writable: true },
      { path: space.out, writable: true },
    ],
    network: spec.network === true,
    stdin: job.stdin !== undefined,
    user: uid === undefined ? undefined : { uid, gid: process.getgid!() },
    memoryBytes: job.resources.memoryBytes,
    engineArguments: options.engineArguments?.[engine],
  });
  const { PATH, HOME } = job.env;
  return {
    ...job,
    confine: 'container',
    argv: command.argv,
    env: { PATH: PATH!, HOME: HOME!, ...options.engineEnvironment, ...command.env },
  };
}

/** Ends the container of an attempt that was stopped: killing the client that started it does not. */
export async function abandonContainer(
  spec: CommandSpec,
  key: string,
  options: ContainerOptions,
): Promise<void> {
  if (spec.container === undefined) return;
  const engine = await options.containerEngine?.(spec.container.engine);
  if (engine !== undefined) await options.removeContainer?.(engine, containerName(key));
}

// Runs an invocation in a container: which folders it sees, what is mounted, and the job that starts it.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type ContainerEngineName,
  type ContainerMount,
  containerArgv,
  containerName,
} from '../../../core/container-argv.ts';
import type { BackendJob } from '../../../core/ports/backend.ts';
import { cwlErrors } from '../error-codes.ts';
import type { DockerRequirement } from '../model/requirement.ts';
import { applyStage, copyWritable } from './apply-stage.ts';
import type { Invocation, ToolPlaces } from './invocation.ts';
import type { StageEntry } from './stage-plan.ts';

/** The container engine of this machine, as the composition root found it. */
export interface ContainerRun {
  readonly engine: ContainerEngineName;
  /** Makes an image available and returns the name to run it by. */
  image(requirement: DockerRequirement): Promise<string>;
  /** What the engine needs in its environment: PATH, and for instance DOCKER_HOST. */
  readonly environment: Readonly<Record<string, string>>;
  readonly arguments?: readonly string[] | undefined;
  readonly user?: { readonly uid: number; readonly gid: number } | undefined;
  /** Ends and removes a container, if it is there. */
  readonly remove?: ((name: string) => Promise<void>) | undefined;
}

/** Beyond this many mounts the argument list would burst. */
const mostMounts = 1_000;

/** The folders as the command sees them: the same as outside, unless the document names the output directory. */
export function containerPlaces(
  image: DockerRequirement,
  host: ToolPlaces,
  run: ContainerRun | undefined,
): ToolPlaces {
  if (run === undefined)
    throw cwlErrors.CWL_CONTAINER('a tool', image.dockerPull ?? image.dockerImageId ?? 'image');
  const outdir = image.dockerOutputDirectory?.replace(/\/$/, '');
  return outdir === undefined ? host : { ...host, outdir };
}

/** Stages the files and turns the job into one that runs the container. */
export async function wrapInContainer(
  job: BackendJob,
  requirement: DockerRequirement,
  planned: { readonly invocation: Invocation; readonly places: ToolPlaces },
  space: { readonly directory: string; readonly work: string; readonly tmpdir: string },
  run: ContainerRun | undefined,
): Promise<BackendJob> {
  if (run === undefined) throw cwlErrors.CWL_CONTAINER(job.key, requirement.dockerPull ?? 'image');
  const { invocation, places } = planned;
  const inside = (entry: StageEntry) =>
    [places.outdir, places.inputs].some((base) => entry.target.startsWith(`${base}/`));
  const hostPath = (target: string) =>
    target.startsWith(`${places.outdir}/`) ? space.work + target.slice(places.outdir.length) : target;
  await mkdir(places.inputs, { recursive: true });
  await applyStage(invocation.stage.filter(inside), hostPath);
  const mounts: ContainerMount[] = [
    { path: space.work, target: places.outdir, writable: true },
    { path: space.tmpdir, target: places.tmpdir, writable: true },
    { path: places.inputs, writable: false },
    ...linkedSources(invocation.stage).map((path) => ({ path, writable: false })),
  ];
  for (const [index, entry] of invocation.stage.filter((one) => !inside(one)).entries())
    mounts.push(await outsideMount(entry, join(space.directory, 'extra', String(index))));
  if (mounts.length > mostMounts)
    throw cwlErrors.CWL_STAGING(`${mounts.length} mounts are more than a container can have`);
  const command = containerArgv({
    engine: run.engine,
    image: await run.image(requirement),
    name: containerName(job.key),
    argv: job.argv,
    env: job.env,
    cwd: places.outdir,
    mounts,
    byEntryPoint: true,
    network: invocation.networkAccess,
    stdin: job.stdin !== undefined,
    user: run.user,
    memoryBytes: job.resources.memoryBytes,
    engineArguments: run.arguments,
  });
  const stdin = job.stdin === undefined ? undefined : hostPath(job.stdin);
  return {
    ...job,
    confine: 'container',
    argv: command.argv,
    env: { ...run.environment, ...command.env },
    stdin,
  };
}

/** What links point to has to be there inside as well. */
function linkedSources(stage: readonly StageEntry[]): string[] {
  return [...new Set(stage.flatMap((entry) => (entry.kind === 'link' ? [entry.source] : [])))];
}

/** An entry at an absolute path of the container's own file system. */
async function outsideMount(entry: StageEntry, folder: string): Promise<ContainerMount> {
  if (entry.kind === 'link') return { path: entry.source, target: entry.target, writable: false };
  await mkdir(folder, { recursive: true });
  const path = join(folder, 'entry');
  if (entry.kind === 'copy') await copyWritable(entry.source, path);
  else if (entry.kind === 'directory') await mkdir(path, { recursive: true });
  else await writeFile(path, entry.contents);
  return { path, target: entry.target, writable: entry.kind !== 'write' || entry.writable };
}

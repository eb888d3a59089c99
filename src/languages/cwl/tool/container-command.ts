// A command in a container, as the argument list of docker, podman or apptainer: a pure function. Folders of the attempt and input files
// are mounted where they are outside, so links between them hold inside; only the output directory may have another name.
import type { ContainerEngineName } from '../../../core/container-argv.ts';

export interface ContainerBind {
  readonly source: string;
  readonly target: string;
  readonly writable: boolean;
}

export interface ContainerRequest {
  readonly engine: ContainerEngineName;
  readonly image: string;
  /** Unique name under which the container can be found and removed. */
  readonly name: string;
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly workdir: string;
  readonly binds: readonly ContainerBind[];
  readonly network: boolean;
  readonly stdin: boolean;
  /** Who owns the files that the command writes. */
  readonly user?: { readonly uid: number; readonly gid: number } | undefined;
  readonly memoryBytes?: number | undefined;
  /** Further arguments of the engine, from the site's configuration. */
  readonly engineArguments?: readonly string[] | undefined;
}

export interface ContainerCommand {
  readonly argv: readonly string[];
  /** What the engine itself must find in its environment. */
  readonly env: Readonly<Record<string, string>>;
}

/** The command line that runs `request.argv` by the image's entry point, as the standard asks. */
export function containerCommand(request: ContainerRequest): ContainerCommand {
  return request.engine === 'apptainer' ? apptainer(request) : docker(request);
}

function docker(request: ContainerRequest): ContainerCommand {
  const { engine, user } = request;
  const argv: string[] = [engine, 'run', '--rm', '--name', request.name, '--workdir', request.workdir];
  if (request.stdin) argv.push('--interactive');
  if (!request.network) argv.push('--network', 'none');
  if (engine === 'podman' && user !== undefined && user.uid !== 0) argv.push('--userns', 'keep-id');
  else if (user !== undefined) argv.push('--user', `${user.uid}:${user.gid}`);
  if (request.memoryBytes !== undefined) argv.push('--memory', `${request.memoryBytes}b`);
  for (const { source, target, writable } of request.binds)
    argv.push(
      '--mount',
      csv(['type=bind', `source=${source}`, `target=${target}`, ...(writable ? [] : ['readonly'])]),
    );
  for (const [name, value] of Object.entries(request.env)) argv.push('--env', `${name}=${value}`);
  argv.push(...(request.engineArguments ?? []), request.image, ...request.argv);
  return { argv, env: {} };
}

function apptainer(request: ContainerRequest): ContainerCommand {
  const argv = ['apptainer', 'run', '--cleanenv', '--containall', '--no-home', '--pwd', request.workdir];
  if (!request.network) argv.push('--net', '--network', 'none');
  for (const { source, target, writable } of request.binds)
    argv.push(
      '--mount',
      csv(['type=bind', `source=${source}`, `destination=${target}`, ...(writable ? [] : ['ro'])]),
    );
  argv.push(...(request.engineArguments ?? []));
  const named = request.image.includes('://') || request.image.startsWith('/');
  argv.push(named ? request.image : `docker://${request.image}`, ...request.argv);
  // `--env` splits values at commas; variables with this prefix are taken as they are.
  const env = Object.entries(request.env).map(([name, value]) => [`APPTAINERENV_${name}`, value]);
  return { argv, env: Object.fromEntries(env) };
}

/** `--mount` is one record of comma-separated values. */
function csv(fields: readonly string[]): string {
  return fields.map((field) => (/[",\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field)).join(',');
}

// How a command is run inside a container: a pure function from what is wanted to the argument list of docker, podman or
// apptainer. Paths inside are the same as outside unless a mount says otherwise, so that nothing in the command has to be rewritten.

export type ContainerEngineName = 'docker' | 'podman' | 'apptainer';

export interface ContainerMount {
  readonly path: string;
  /** Where it is inside; the same path unless given. */
  readonly target?: string | undefined;
  readonly writable: boolean;
}

export interface ContainerRequest {
  readonly engine: ContainerEngineName;
  readonly image: string;
  /** `sha256:…`; pins the image. */
  readonly digest?: string | undefined;
  /** Unique name under which the container can be found and removed. */
  readonly name: string;
  readonly argv: readonly string[];
  /** True when the image's own entry point gets the command; otherwise the command is run as it is. */
  readonly byEntryPoint?: boolean | undefined;
  /** Environment inside the container. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly mounts: readonly ContainerMount[];
  readonly network: boolean;
  /** Whether the standard input is passed on. */
  readonly stdin: boolean;
  /** Who owns the files that the command writes. */
  readonly user?: { readonly uid: number; readonly gid: number } | undefined;
  readonly memoryBytes?: number | undefined;
  /** Further arguments of the engine, from the site's configuration. */
  readonly engineArguments?: readonly string[] | undefined;
}

export interface ContainerCommand {
  readonly argv: readonly string[];
  /** What the engine itself must have in its environment, beside what it needs to be found. */
  readonly env: Readonly<Record<string, string>>;
}

/** The name of the container of an attempt. */
export const containerName = (key: string): string => `varve-${key}`;

/** The command that ends and removes a container; undefined where containers are plain processes. */
export function removeContainerArgv(engine: ContainerEngineName, name: string): string[] | undefined {
  return engine === 'apptainer' ? undefined : [engine, 'rm', '--force', name];
}

/** The command that runs `request.argv` in a container. */
export function containerArgv(request: ContainerRequest): ContainerCommand {
  return request.engine === 'apptainer' ? apptainerCommand(request) : dockerCommand(request);
}

function dockerCommand(request: ContainerRequest): ContainerCommand {
  const { engine, user } = request;
  const argv: string[] = [engine, 'run', '--rm', '--name', request.name, '--workdir', request.cwd];
  if (request.stdin) argv.push('--interactive');
  if (!request.network) argv.push('--network', 'none');
  if (engine === 'podman' && user !== undefined && user.uid !== 0) argv.push('--userns', 'keep-id');
  else if (user !== undefined) argv.push('--user', `${user.uid}:${user.gid}`);
  if (request.memoryBytes !== undefined) argv.push('--memory', `${request.memoryBytes}b`);
  for (const mount of request.mounts) {
    const fields = ['type=bind', `source=${mount.path}`, `target=${mount.target ?? mount.path}`];
    if (!mount.writable) fields.push('readonly');
    argv.push('--mount', fields.map(csvField).join(','));
  }
  for (const [name, value] of Object.entries(request.env)) argv.push('--env', `${name}=${value}`);
  argv.push(...(request.engineArguments ?? []));
  const [program, ...rest] = request.argv;
  const image = pinned(request.image, request.digest);
  if (request.byEntryPoint) argv.push(image, ...request.argv);
  else argv.push('--entrypoint', program!, image, ...rest);
  return { argv, env: {} };
}

function apptainerCommand(request: ContainerRequest): ContainerCommand {
  const verb = request.byEntryPoint ? 'run' : 'exec';
  const argv = ['apptainer', verb, '--cleanenv', '--containall', '--no-home', '--pwd', request.cwd];
  if (!request.network) argv.push('--net', '--network', 'none');
  for (const mount of request.mounts) {
    const fields = ['type=bind', `source=${mount.path}`, `destination=${mount.target ?? mount.path}`];
    if (!mount.writable) fields.push('ro');
    argv.push('--mount', fields.map(csvField).join(','));
  }
  argv.push(...(request.engineArguments ?? []));
  const image = pinned(request.image, request.digest);
  const named = image.includes('://') || image.startsWith('/') || image.startsWith('.');
  argv.push(named ? image : `docker://${image}`, ...request.argv);
  // `--env` splits values at commas; variables with this prefix are taken as they are.
  const env = Object.entries(request.env).map(([name, value]) => [`APPTAINERENV_${name}`, value]);
  return { argv, env: Object.fromEntries(env) };
}

/** Docker and podman read `--mount` as one record of comma-separated values. */
function csvField(field: string): string {
  return /[",\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field;
}

function pinned(image: string, digest: string | undefined): string {
  return digest === undefined ? image : `${image.replace(/@sha256:.*$/, '')}@${digest}`;
}

// The action type `command-line`: a node's spec to a job, and a finished job to a dataset. Preparing a tiny action does not
// touch the disk at all; the back-end makes the log files.
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join, resolve, sep } from 'node:path';
import type { ActionType, PrepareContext } from '../../core/ports/action-type.ts';
import type { BackendJob } from '../../core/ports/backend.ts';
import type { AttemptSpace } from '../../core/ports/storage.ts';
import { collectCommand } from './collect-command.ts';
import { commandEnvironment } from './command-environment.ts';
import { checkUnchanged, type ResolvedInputs, resolveInputs } from './command-inputs.ts';
import { outputPaths, referenceValues } from './command-references.ts';
import { type CommandSpec, commandLineType } from './command-spec.ts';
import { abandonContainer, type ContainerOptions, containerJob } from './container-job.ts';
import { languageErrors } from './error-codes.ts';
import { linkOne } from './input-links.ts';
import { type ReferenceValues, type Template, templateText, templateWords } from './template.ts';

/** The action type that runs commands. */
export function commandLineAction(options: ContainerOptions = {}): ActionType {
  return {
    name: commandLineType,
    prepare: (context) => prepare(context, options),
    abandon: (node, key) => abandonContainer(node.spec as unknown as CommandSpec, key, options),
    collect: collectCommand,
  };
}

async function prepare(context: PrepareContext, options: ContainerOptions): Promise<BackendJob> {
  const { node, space } = context;
  const spec = node.spec as unknown as CommandSpec;
  const { resources } = node.policy;
  const inputs = await resolveInputs(spec, node.parents, context.inputs, space.work);
  const outputs = outputPaths(spec, inputs, space);
  const references = referenceValues(inputs, outputs, space, resources);
  const env = commandEnvironment(spec, space, resources, inputs.values, outputs, references);
  const programs = await linkPrograms(spec, space.work);
  const stdin = await standardInput(spec, inputs, space.work);
  const argv =
    spec.argv === undefined
      ? ['/bin/sh', '-c', spec.shell!]
      : spec.argv.flatMap((item) => templateWords(item, references));
  const first = argv[0] ?? '';
  const own = spec.programs?.find(
    (program) => program.name === first.replace(/^\.\//, '') && first.includes('/'),
  );
  if (own !== undefined) argv[0] = own.path;
  const reads = [...inputs.places, ...programs];
  if (spec.stdin !== undefined && 'file' in spec.stdin) reads.push(spec.stdin.file.path);
  const read = [...new Set(reads)].filter((path) => path !== '');
  const job: BackendJob = {
    key: context.key,
    directory: space.directory,
    argv,
    env,
    cwd: space.work,
    stdin,
    stdout: await streamFile(spec.stdout, 'stdout', references, space),
    stderr: await streamFile(spec.stderr, 'stderr', references, space),
    resources,
    timeoutMs: node.policy.timeoutMs,
    priority: node.policy.priority,
    confine: { network: spec.network === true, reads: read },
    travel: { reads: read, returns: [space.out] },
  };
  if (spec.container === undefined) return job;
  return containerJob(job, spec, space, [...inputs.places, ...programs], options);
}

/** Program files appear in the working directory under their own relative names. */
async function linkPrograms(spec: CommandSpec, work: string): Promise<readonly string[]> {
  if (spec.programs === undefined) return [];
  for (const program of spec.programs) {
    await checkUnchanged(program, program.directory !== true);
    const path = join(work, program.name);
    if (program.name.includes('/')) await mkdir(dirname(path), { recursive: true });
    await linkOne(program.path, path);
  }
  return spec.programs.map((program) => program.path);
}

async function standardInput(
  spec: CommandSpec,
  inputs: ResolvedInputs,
  work: string,
): Promise<string | undefined> {
  if (spec.stdin === undefined) return undefined;
  if ('file' in spec.stdin) {
    await checkUnchanged(spec.stdin.file, true);
    return spec.stdin.file.path;
  }
  const name = spec.stdin.input;
  const text = inputs.values.get(name)?.text ?? '';
  const input = spec.inputs?.[name];
  const isValue =
    input !== undefined && ('value' in input || ('dataset' in input && input.dataset.as !== undefined));
  if (!isValue && text !== '') return text;
  const path = join(work, '.stdin');
  await writeFile(path, text);
  return path;
}

async function streamFile(
  template: Template | undefined,
  stream: 'stdout' | 'stderr',
  references: ReferenceValues,
  space: AttemptSpace,
): Promise<string> {
  if (template === undefined) return join(space.logs, stream);
  const text = templateText(template, references);
  const path = resolve(space.out, text);
  if (!path.startsWith(space.out + sep)) throw languageErrors.OUTPUT_PATH(stream, text);
  if (dirname(path) !== space.out) await mkdir(dirname(path), { recursive: true });
  return path;
}

// The action type of CommandLineTools: a node's spec with its input datasets to a job, and a finished job to a dataset.
import { mkdirSync } from 'node:fs';
import { mkdir, open, realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { containerName } from '../../../core/container-argv.ts';
import type { Json, JsonObject } from '../../../core/json.ts';
import type {
  ActionType,
  CollectContext,
  Collected,
  InputDataset,
  PrepareContext,
} from '../../../core/ports/action-type.ts';
import type { BackendJob } from '../../../core/ports/backend.ts';
import type { AttemptSpace } from '../../../core/ports/storage.ts';
import type { NodeDefinition } from '../../../core/workflow.ts';
import { cwlErrors } from '../error-codes.ts';
import { createEvaluator, type Evaluator } from '../expressions/evaluator.ts';
import type { FetchText } from '../load/document-store.ts';
import type { CommandLineTool } from '../model/process.ts';
import { applyStage } from '../tool/apply-stage.ts';
import { collectOutputs } from '../tool/collect-outputs.ts';
import { type ContainerRun, containerPlaces, wrapInContainer } from '../tool/container.ts';
import { type Invocation, planInvocation, type ToolPlaces } from '../tool/invocation.ts';
import { OutputFolder } from '../tool/output-folder.ts';
import { finishPublishing, type PublishPlace, publishOutputs } from '../tool/publish-outputs.ts';
import { isPath } from '../values/file-object.ts';
import { prepareJob } from '../values/prepare-job.ts';
import { collecting, failed } from './action-failure.ts';
import { contentIdentity, type DigestFile, withDigests } from './content-identity.ts';
import { nodeTypes, type ToolSpec } from './spec.ts';
import { specValues } from './spec-job.ts';

export interface CwlActionOptions {
  /** PATH of commands that run without a container. */
  readonly path?: string | undefined;
  readonly fetchText?: FetchText | undefined;
  readonly digest?: DigestFile | undefined;
  /** Looks for the engine that runs containers here; asked only for tools that want one. */
  readonly container?: (() => Promise<ContainerRun | undefined>) | undefined;
}

interface Planned {
  readonly invocation: Invocation;
  readonly evaluator: Evaluator;
  readonly places: ToolPlaces;
}

/** The identity of an action by the content of its inputs: equal for equal tools on equal bytes, whatever the workflow. */
export async function jobIdentity(
  node: NodeDefinition,
  inputs: readonly InputDataset[],
  digest: DigestFile | undefined,
): Promise<JsonObject> {
  const spec = node.spec as unknown as ToolSpec;
  const job = await withDigests(await specValues(spec.job, inputs, spec.trust), digest);
  return { cwl: node.identity.cwl!, job: contentIdentity(job) };
}

export function toolAction(options: CwlActionOptions): ActionType {
  // What `prepare` decided, for `collect` in the same process; another process decides it again.
  const plans = new Map<string, Planned>();
  return {
    name: nodeTypes.tool,
    physicalIdentity: (node, inputs) => jobIdentity(node, inputs, options.digest),
    prepare: async (context) => {
      const planned = await plan(context, options);
      plans.set(context.key, planned);
      return await makeJob(context, planned, options);
    },
    async abandon(node, key) {
      plans.delete(key);
      if ((node.spec as unknown as ToolSpec).container === undefined) return;
      await (await options.container?.())?.remove?.(containerName(key));
    },
    async collect(context) {
      const prepared = plans.get(context.key);
      plans.delete(context.key);
      const finished = async (): Promise<Collected | undefined> => {
        const outputs = await finishPublishing(publishPlace(context.space));
        return outputs && { value: { outputs } };
      };
      // What was prepared here and not collected before cannot have been published in part.
      const begun = prepared === undefined ? await finished() : undefined;
      if (begun) return begun;
      const own = await collecting(async () =>
        collect(context, prepared ?? (await plan(context, options))),
      ).catch((error: unknown) => ({ error }));
      if ('value' in own) return own;
      // Somebody else who collects at the same time may have moved away what was looked for.
      const theirs = await finished();
      if (theirs) return theirs;
      if ('error' in own) throw own.error;
      return own;
    },
  };
}

async function plan({ node, inputs, space }: PrepareContext, options: CwlActionOptions): Promise<Planned> {
  const spec = node.spec as unknown as ToolSpec;
  const { tool, requirements, trust } = spec;
  const texts = [tool as unknown as Json, requirements as unknown as Json];
  const evaluator = await createEvaluator(tool.cwlVersion, requirements, texts, trust);
  const values = await specValues(spec.job, inputs, trust);
  const job = await prepareJob(tool, values, {
    evaluator,
    requirements,
    discover: false,
    fetchText: options.fetchText,
  });
  const host = {
    outdir: space.work,
    tmpdir: join(space.directory, 'tmp'),
    inputs: join(space.directory, 'inputs'),
  };
  const places =
    spec.container === undefined
      ? host
      : containerPlaces(spec.container.image, host, await options.container?.());
  const invocation = planInvocation(tool, job, {
    evaluator,
    requirements,
    places,
    path: spec.container === undefined ? options.path : undefined,
    inRequiredContainer: spec.container?.required === true,
  });
  return { invocation, evaluator, places };
}

async function makeJob(
  context: PrepareContext,
  planned: Planned,
  options: CwlActionOptions,
): Promise<BackendJob> {
  const { node, space, key } = context;
  const { invocation } = planned;
  const spec = node.spec as unknown as ToolSpec;
  const tmpdir = join(space.directory, 'tmp');
  mkdirSync(tmpdir, { recursive: true });
  const { resources, timeLimitSeconds } = invocation;
  const job: BackendJob = {
    key,
    directory: space.directory,
    argv: invocation.argv,
    env: invocation.env,
    cwd: space.work,
    stdin: invocation.stdin,
    stdout: await streamPath(invocation.stdout, space.work, join(space.logs, 'stdout')),
    stderr: await streamPath(invocation.stderr, space.work, join(space.logs, 'stderr')),
    resources: { cores: Math.max(1, resources.cores), memoryBytes: resources.ram * 2 ** 20 },
    timeoutMs: timeLimitSeconds === undefined ? node.policy.timeoutMs : timeLimitSeconds * 1000,
    priority: node.policy.priority,
    confine: {
      network: invocation.networkAccess,
      reads: invocation.stage.flatMap((entry) => ('source' in entry ? [entry.source] : [])),
    },
  };
  if (spec.container === undefined) {
    await applyStage(invocation.stage);
    return job;
  }
  const container = await options.container?.();
  return await wrapInContainer(job, spec.container.image, planned, { ...space, tmpdir }, container);
}

async function streamPath(name: string | undefined, outdir: string, log: string): Promise<string> {
  if (name === undefined) return log;
  const path = join(outdir, name);
  if (dirname(path) !== outdir) await mkdir(dirname(path), { recursive: true });
  return path;
}

async function collect(context: CollectContext, planned: Planned): Promise<Collected> {
  const { node, space, outcome, inputs } = context;
  const { tool, requirements, inplace = [] } = node.spec as unknown as ToolSpec;
  const { invocation, evaluator, places } = planned;
  const ended = outcome.signal === undefined ? codeMeaning(tool, outcome.exitCode) : 'temporary';
  if (ended !== 'success') {
    const hint = await lastLine(
      invocation.stderr === undefined ? join(space.logs, 'stderr') : join(space.work, invocation.stderr),
    );
    const code = outcome.signal === undefined ? outcome.exitCode : 128;
    return failed(
      cwlErrors.CWL_EXIT_CODE.with({ hint: hint || undefined }, node.name, code),
      ended === 'temporary',
    );
  }
  const folder = new OutputFolder(space.work, places.outdir, invocation.stage);
  const rules = { evaluator, requirements, context: invocation.context, folder, exitCode: outcome.exitCode };
  const outputs: Record<string, Json> = { ...collectOutputs(tool, rules) };
  for (const name of inplace) {
    const updated = invocation.context.inputs[name];
    if (isPath(updated) && updated.path !== undefined)
      outputs[`inplace:${name}`] = folder.describe(updated.path);
  }
  const published = await publishOutputs(outputs, publishPlace(space), {
    folder: folder.host,
    immutable: await realPaths(inputs.map(({ path }) => path)),
    inputs: await realPaths(invocation.stage.flatMap((entry) => ('source' in entry ? [entry.source] : []))),
    keepForeign: false,
  });
  return { value: { outputs: published } };
}

export function publishPlace({ out, directory }: AttemptSpace): PublishPlace {
  return { target: out, directory };
}

function codeMeaning(tool: CommandLineTool, code: number): 'success' | 'temporary' | 'permanent' {
  if (tool.successCodes.includes(code)) return 'success';
  if (tool.temporaryFailCodes.includes(code)) return 'temporary';
  return code === 0 && !tool.permanentFailCodes.includes(0) ? 'success' : 'permanent';
}

export async function realPaths(paths: readonly string[]): Promise<string[]> {
  const real = await Promise.all(
    paths.filter((path) => path !== '').map((path) => realpath(path).catch(() => path)),
  );
  return [...new Set(real)];
}

/** The last line of a log that says something. */
async function lastLine(path: string): Promise<string> {
  const file = await open(path).catch(() => undefined);
  if (file === undefined) return '';
  try {
    const { size } = await file.stat();
    const length = Math.min(size, 2048);
    const { buffer } = await file.read(Buffer.alloc(length), 0, length, size - length);
    const lines = buffer.toString('utf8').split('\n');
    return (lines.map((line) => line.trim()).findLast((line) => line !== '') ?? '').slice(-300);
  } finally {
    await file.close();
  }
}

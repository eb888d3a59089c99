// A CommandLineTool with a complete job becomes an invocation: words, environment, redirections, staging and limits. A pure function
// of the tool, the job and the places: it decides everything and touches nothing.
import { posix } from 'node:path';
import type { Json, JsonObject } from '../../../core/json.ts';
import { cwlErrors } from '../error-codes.ts';
import type { Evaluator, ExpressionContext } from '../expressions/evaluator.ts';
import type { CommandLineTool } from '../model/process.ts';
import { findRequirement, type Requirements } from '../model/requirement.ts';
import { isFile } from '../values/file-object.ts';
import { commandLine } from './command-line.ts';
import { planInitialWorkDir } from './initial-work-dir.ts';
import { networkAccess, type ReservedResources, reserveResources, timeLimitSeconds } from './resources.ts';
import { openLinkedDirectories, type StageEntry, stageJob } from './stage-plan.ts';

/** The folders of an invocation as the command sees them. */
export interface ToolPlaces {
  /** Designated output directory and current directory. */
  readonly outdir: string;
  readonly tmpdir: string;
  /** Below it every input has a folder of its own. */
  readonly inputs: string;
}

export interface InvocationRules {
  readonly evaluator: Evaluator;
  readonly requirements: Requirements;
  readonly places: ToolPlaces;
  /** PATH of the command; containers bring their own. */
  readonly path?: string | undefined;
  /** Whether the command runs in a container that the document requires. */
  readonly inRequiredContainer: boolean;
}

export interface Invocation {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Absolute path, as the command sees it. */
  readonly stdin?: string | undefined;
  /** Relative to the output directory. */
  readonly stdout?: string | undefined;
  readonly stderr?: string | undefined;
  readonly stage: readonly StageEntry[];
  readonly resources: ReservedResources;
  readonly timeLimitSeconds?: number | undefined;
  readonly networkAccess: boolean;
  /** What expressions see after the command has run: the job with paths, and the runtime without the exit code. */
  readonly context: { readonly inputs: JsonObject; readonly runtime: JsonObject };
}

/** Decides how a tool is called with a job that `prepareJob` made. */
export function planInvocation(tool: CommandLineTool, job: JsonObject, rules: InvocationRules): Invocation {
  const { evaluator, requirements, places } = rules;
  const staged = stageJob(job, places.inputs);
  const resources = reserveResources(tool.cwlVersion, requirements, evaluator, staged.job);
  const runtime = { ...resources, outdir: places.outdir, tmpdir: places.tmpdir };
  const initial = findRequirement(requirements, 'InitialWorkDirRequirement');
  const laidOut =
    initial === undefined
      ? staged
      : planInitialWorkDir(initial, staged, {
          evaluator,
          context: { inputs: staged.job, runtime },
          outdir: places.outdir,
          absoluteNames: rules.inRequiredContainer,
        });
  const context: ExpressionContext = { inputs: laidOut.job, runtime };
  const shell = findRequirement(requirements, 'ShellCommandRequirement') !== undefined;
  const words = commandLine(tool, { evaluator, context, shell });
  if (words.length === 0) throw cwlErrors.CWL_STAGING(`${tool.id} has an empty command line`);
  return {
    argv: shell ? ['/bin/sh', '-c', words.join(' ')] : words,
    env: environment(requirements, evaluator, context, rules),
    stdin: stdinPath(tool, evaluator, context),
    stdout: streamFile('stdout', tool.stdout, evaluator, context),
    stderr: streamFile('stderr', tool.stderr, evaluator, context),
    stage: openLinkedDirectories(laidOut.entries),
    resources,
    timeLimitSeconds: timeLimitSeconds(requirements, evaluator, context),
    networkAccess: networkAccess(tool.cwlVersion, requirements, evaluator, context),
    context: { inputs: laidOut.job, runtime },
  };
}

function environment(
  requirements: Requirements,
  evaluator: Evaluator,
  context: ExpressionContext,
  rules: InvocationRules,
): Record<string, string> {
  const env: Record<string, string> = { HOME: rules.places.outdir, TMPDIR: rules.places.tmpdir };
  if (rules.path !== undefined) env.PATH = rules.path;
  for (const { envName, envValue } of findRequirement(requirements, 'EnvVarRequirement')?.envDef ?? []) {
    const value = evaluator.evaluate(envValue, context);
    if (typeof value !== 'string')
      throw cwlErrors.CWL_EXPRESSION(envValue, `the environment variable ${envName} must be a text`);
    if (envName === '' || /[=\0]/.test(envName) || value.includes('\0'))
      throw cwlErrors.CWL_STAGING(`the environment variable "${envName}" cannot be set`);
    env[envName] = value;
  }
  return env;
}

function stdinPath(
  tool: CommandLineTool,
  evaluator: Evaluator,
  context: ExpressionContext,
): string | undefined {
  if (tool.stdin === undefined) return undefined;
  const value: Json = evaluator.evaluate(tool.stdin, context);
  if (value === null || value === '') return undefined;
  if (isFile(value) && value.path !== undefined) return value.path;
  if (typeof value !== 'string')
    throw cwlErrors.CWL_EXPRESSION(tool.stdin, 'stdin must be the path of a file');
  return posix.resolve(String(context.runtime?.outdir), value);
}

function streamFile(
  stream: 'stdout' | 'stderr',
  text: string | undefined,
  evaluator: Evaluator,
  context: ExpressionContext,
): string | undefined {
  if (text === undefined) return undefined;
  const value = evaluator.evaluate(text, context);
  if (value === null || value === '') return undefined;
  if (typeof value !== 'string') throw cwlErrors.CWL_EXPRESSION(text, `${stream} must be the name of a file`);
  const name = posix.normalize(value);
  if (name.startsWith('/') || name === '..' || name.startsWith('../'))
    throw cwlErrors.CWL_STAGING(`${stream} must be a name inside the output directory, not ${value}`);
  return name;
}

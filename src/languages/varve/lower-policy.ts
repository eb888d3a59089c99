// How an action is run: resources, retries, time limit, keeping, place of an unmanaged output. All of it is outside identity.
import { resolve } from 'node:path';
import { defaultPolicy, type NodePolicy, type Resources, type RetryPolicy } from '../../core/workflow.ts';
import type { DefaultsDocument, ResourcesDocument, RetriesDocument } from './document.ts';
import { noteConflict } from './lower-inputs.ts';
import type { CheckedAction, LoweringContext } from './lowering-context.ts';
import type { DocumentPath } from './problems.ts';
import { parseDuration, parseSize } from './units.ts';

const policyFields = [
  'forceComputation',
  'isManaged',
  'outputPath',
  'keep',
  'priority',
  'resources',
  'retries',
  'timeout',
] as const;

/** The policy that `defaults` make. */
export function lowerDefaults(defaults: DefaultsDocument): NodePolicy {
  const given = policyFields.some((field) => field in defaults);
  return given ? withDefaults(defaults, defaultPolicy) : defaultPolicy;
}

/** The policy of one action; the shared default object when it sets nothing itself. */
export function lowerPolicy(action: CheckedAction, path: DocumentPath, context: LoweringContext): NodePolicy {
  if (!policyFields.some((field) => action[field] !== undefined)) return context.defaultPolicy;
  if (action.isManaged === false && action.outputPath === undefined)
    noteConflict('an action with `isManaged: false` needs an `outputPath`', path, context);
  if (action.isManaged === true && action.outputPath !== undefined)
    noteConflict('`outputPath` is for actions with `isManaged: false`', path, context);
  const policy = withDefaults(action, context.defaultPolicy);
  const outputPath =
    action.outputPath === undefined ? {} : { outputPath: resolve(context.folder, action.outputPath) };
  return { ...policy, ...outputPath, forced: action.forceComputation ?? false };
}

function withDefaults(from: DefaultsDocument, base: NodePolicy): NodePolicy {
  const timeoutMs = from.timeout === undefined ? base.timeoutMs : parseDuration(from.timeout);
  return {
    ...base,
    keep: from.keep ?? base.keep,
    priority: from.priority ?? base.priority,
    resources: from.resources === undefined ? base.resources : lowerResources(from.resources, base.resources),
    retries: from.retries === undefined ? base.retries : lowerRetries(from.retries),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
  };
}

function lowerResources(from: ResourcesDocument, base: Resources): Resources {
  const memoryBytes = from.memory === undefined ? base.memoryBytes : parseSize(from.memory);
  const diskBytes = from.disk === undefined ? base.diskBytes : parseSize(from.disk);
  const timeMs = from.time === undefined ? base.timeMs : parseDuration(from.time);
  const tags = from.tags ?? base.tags;
  return {
    cores: from.cores ?? base.cores,
    ...(memoryBytes === undefined ? {} : { memoryBytes }),
    ...(diskBytes === undefined ? {} : { diskBytes }),
    ...(timeMs === undefined ? {} : { timeMs }),
    ...(tags === undefined || tags.length === 0 ? {} : { tags }),
  };
}

function lowerRetries(from: number | RetriesDocument): RetryPolicy {
  const base = defaultPolicy.retries;
  if (typeof from === 'number') return { ...base, count: from };
  return {
    count: from.count,
    delayMs: from.delay === undefined ? base.delayMs : parseDuration(from.delay)!,
    backoff: from.backoff ?? base.backoff,
    maxDelayMs: from.maxDelay === undefined ? base.maxDelayMs : parseDuration(from.maxDelay)!,
    ...(from.exitCodes === undefined ? {} : { exitCodes: from.exitCodes }),
  };
}

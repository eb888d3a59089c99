// ResourceRequirement, ToolTimeLimit and similar settings, evaluated for one invocation.
import type { Json, JsonObject } from '../../../core/json.ts';
import { cwlErrors } from '../error-codes.ts';
import type { Evaluator, ExpressionContext } from '../expressions/evaluator.ts';
import type { CwlVersion } from '../model/process.ts';
import { findRequirement, type Requirements, type ResourceRequirement } from '../model/requirement.ts';

/** What is reserved for an invocation: cores, and mebibytes. */
export interface ReservedResources {
  readonly cores: number;
  readonly ram: number;
  readonly tmpdirSize: number;
  readonly outdirSize: number;
}

const table = [
  { name: 'cores', min: 'coresMin', max: 'coresMax' },
  { name: 'ram', min: 'ramMin', max: 'ramMax' },
  { name: 'tmpdirSize', min: 'tmpdirMin', max: 'tmpdirMax' },
  { name: 'outdirSize', min: 'outdirMin', max: 'outdirMax' },
] as const;

/** The smallest amounts that the tool asks for, rounded up. */
export function reserveResources(
  version: CwlVersion,
  requirements: Requirements,
  evaluator: Evaluator,
  inputs: JsonObject,
): ReservedResources {
  const asked: Partial<ResourceRequirement> = findRequirement(requirements, 'ResourceRequirement') ?? {};
  const defaults = { cores: 1, ram: version === 'v1.2' ? 256 : 1024, tmpdirSize: 1024, outdirSize: 1024 };
  const reserved = { ...defaults };
  for (const { name, min, max } of table) {
    const low = amount(min, asked[min], evaluator, inputs);
    const high = amount(max, asked[max], evaluator, inputs);
    if (low !== undefined && high !== undefined && low > high)
      throw cwlErrors.CWL_RESOURCES(min, `${low} is more than ${max} (${high})`);
    const chosen = low ?? (high === undefined ? undefined : Math.min(high, defaults[name]));
    if (chosen !== undefined) reserved[name] = Math.ceil(chosen);
  }
  return reserved;
}

function amount(
  field: string,
  value: number | string | undefined,
  evaluator: Evaluator,
  inputs: JsonObject,
): number | undefined {
  if (value === undefined) return undefined;
  const found: Json = typeof value === 'string' ? evaluator.evaluate(value, { inputs }) : value;
  if (found === null) return undefined;
  const number = typeof found === 'string' && found.trim() !== '' ? Number(found) : found;
  if (typeof number !== 'number' || !Number.isFinite(number) || number < 0)
    throw cwlErrors.CWL_RESOURCES(field, `${JSON.stringify(found)} is no amount`);
  return number;
}

/** Seconds that the tool may run; undefined means as long as it likes. */
export function timeLimitSeconds(
  requirements: Requirements,
  evaluator: Evaluator,
  context: ExpressionContext,
): number | undefined {
  const limit = findRequirement(requirements, 'ToolTimeLimit')?.timelimit;
  if (limit === undefined) return undefined;
  const value = typeof limit === 'string' ? evaluator.evaluate(limit, context) : limit;
  if (typeof value !== 'number' || !Number.isFinite(value) || value < 0)
    throw cwlErrors.CWL_RESOURCES('timelimit', `${JSON.stringify(value)} is no time in seconds`);
  return value === 0 ? undefined : value;
}

/** Whether the tool may use the network; v1.0 tools always may. */
export function networkAccess(
  version: CwlVersion,
  requirements: Requirements,
  evaluator: Evaluator,
  context: ExpressionContext,
): boolean {
  const asked = findRequirement(requirements, 'NetworkAccess')?.networkAccess;
  if (asked === undefined) return version === 'v1.0';
  const value = typeof asked === 'string' ? evaluator.evaluate(asked, context) : asked;
  if (typeof value !== 'boolean') throw cwlErrors.CWL_RESOURCES('networkAccess', 'must be true or false');
  return value;
}

// The action type of ExpressionTools: nothing runs; the expression is evaluated when the action is collected.
import { isObject, type Json, type JsonObject } from '../../../core/json.ts';
import type { ActionType, CollectContext, Collected } from '../../../core/ports/action-type.ts';
import { cwlErrors } from '../error-codes.ts';
import { createEvaluator } from '../expressions/evaluator.ts';
import { urlOfPath } from '../load/uri.ts';
import { publishOutputs } from '../tool/publish-outputs.ts';
import { reserveResources } from '../tool/resources.ts';
import { checkOutput } from '../values/check-value.ts';
import { type CwlPath, mapAllPaths } from '../values/file-object.ts';
import { prepareJob } from '../values/prepare-job.ts';
import { collecting } from './action-failure.ts';
import { type ExpressionSpec, nodeTypes } from './spec.ts';
import { specValues } from './spec-job.ts';
import { type CwlActionOptions, jobIdentity, publishPlace, realPaths } from './tool-action.ts';

export function expressionAction(options: CwlActionOptions): ActionType {
  return {
    name: nodeTypes.expression,
    physicalIdentity: (node, inputs) => jobIdentity(node, inputs, options.digest),
    prepare: async () => undefined,
    collect: (context) => collecting(() => collect(context, options)),
  };
}

async function collect(
  { node, inputs, space }: CollectContext,
  options: CwlActionOptions,
): Promise<Collected> {
  const { tool, requirements, job, trust } = node.spec as unknown as ExpressionSpec;
  const evaluator = await createEvaluator(tool.cwlVersion, requirements, [tool as unknown as Json], trust);
  const values = await specValues(job, inputs, trust);
  const given = await prepareJob(tool, values, {
    evaluator,
    requirements,
    discover: false,
    fetchText: options.fetchText,
  });
  const runtime = { ...reserveResources(tool.cwlVersion, requirements, evaluator, given) };
  const result = evaluator.evaluate(tool.expression, { inputs: given, runtime });
  if (!isObject(result)) throw cwlErrors.CWL_OUTPUT(node.name, 'the expression must return an object');
  const outputs: Record<string, Json> = {};
  for (const output of tool.outputs) {
    const value = result[output.name] ?? null;
    const misfit = checkOutput(value, output.type);
    if (misfit !== undefined)
      throw cwlErrors.CWL_OUTPUT(output.name + misfit.path, `must be ${misfit.wanted}, not ${misfit.found}`);
    outputs[output.name] = mapAllPaths(value, withLocation);
  }
  const published = await publishOutputs(outputs as JsonObject, publishPlace(space), {
    immutable: await realPaths(inputs.map(({ path }) => path)),
    inputs: [],
    keepForeign: true,
  });
  return { value: { outputs: published } };
}

function withLocation(path: CwlPath): CwlPath {
  return path.location === undefined && path.path !== undefined
    ? { ...path, location: urlOfPath(path.path) }
    : path;
}

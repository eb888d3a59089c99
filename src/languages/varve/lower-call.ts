// An action of type `cwl`: its tool is found first, so that others know its outputs; then its inputs are given to the tool, whose own
// language makes the node.
import { resolve } from 'node:path';
import { VarveError } from '../../core/errors.ts';
import { isObject, type Json } from '../../core/json.ts';
import type { CallableTool, CallInput, FindTool } from '../../core/ports/tool-call.ts';
import type { NodeDefinition } from '../../core/workflow.ts';
import type { ParentInput } from './document.ts';
import { languageErrors } from './error-codes.ts';
import { givenSpec, resolveGiven } from './given-input.ts';
import { isFetchable } from './given-value.ts';
import type { InputSpec } from './input-spec.ts';
import { noteConflict, outputPattern } from './lower-inputs.ts';
import type { CheckedAction, LoweringContext } from './lowering-context.ts';
import { hintFromNames } from './nearest-name.ts';
import type { DocumentPath, Problems } from './problems.ts';

export const callType = 'cwl';

/** True for an action that calls a tool of another language. */
export function isCall(action: { readonly type?: Json }): boolean {
  return action.type === callType;
}

/** The tool that a call names; undefined when a problem was noted. */
export async function findCalled(
  action: CheckedAction,
  path: DocumentPath,
  find: FindTool | undefined,
  folder: string,
  problems: Problems,
): Promise<CallableTool | undefined> {
  const tool = String(action.tool);
  const inner = { parent: path, key: 'tool' };
  if (find === undefined) {
    problems.add(inner, 'value', (place) =>
      languageErrors.ACTION_TYPE_UNSUPPORTED.with({ place }, problems.where(path), callType),
    );
    return undefined;
  }
  try {
    return await find(isFetchable(tool) ? tool : resolve(folder, tool));
  } catch (error) {
    noteTool(error, tool, inner, problems);
    return undefined;
  }
}

/** The node of a call; undefined when a problem was noted. */
export async function lowerCall(
  action: CheckedAction,
  path: DocumentPath,
  result: boolean,
  context: LoweringContext,
): Promise<NodeDefinition | undefined> {
  const key = String(action.id);
  const tool = context.tools.get(key);
  const inputs: Record<string, CallInput> = {};
  let right = tool !== undefined;
  for (const [name, input] of Object.entries(action.inputs ?? {}) as [string, Json][]) {
    const inner = { parent: { parent: path, key: 'inputs' }, key: name };
    if (tool !== undefined && !tool.inputs.includes(name)) {
      const hint = hintFromNames(name, tool.inputs, 'inputs of the tool');
      context.problems.add(inner, 'key', (place) =>
        languageErrors.TOOL_INPUT.with(
          { place, hint },
          context.problems.where(path),
          String(action.tool),
          name,
        ),
      );
      right = false;
      continue;
    }
    const found = callInput(input, inner, context);
    if (found === undefined) right = false;
    else inputs[name] = found;
  }
  if (tool === undefined || !right) return undefined;
  try {
    const node = await tool.lower(key, inputs);
    const policy = {
      ...node.policy,
      forced: node.policy.forced || action.forceComputation === true,
      keep: action.keep ?? context.defaultPolicy.keep,
      priority: action.priority ?? context.defaultPolicy.priority,
    };
    return { ...node, key, name: action.name ?? key, policy, result };
  } catch (error) {
    noteTool(error, String(action.tool), { parent: path, key: 'tool' }, context.problems);
    return undefined;
  }
}

function callInput(input: Json, path: DocumentPath, context: LoweringContext): CallInput | undefined {
  if (isObject(input) && 'from' in input) return parentOutput(input as unknown as ParentInput, path, context);
  const value = resolveGiven(input, path, context);
  const spec = value && givenSpec(value, path, context);
  return spec && givenCall(spec);
}

/** Literal inputs never look at a dataset. */
function givenCall(spec: InputSpec): CallInput | undefined {
  if ('dataset' in spec) return undefined;
  if (!('list' in spec)) return spec;
  return { list: spec.list.flatMap((one) => givenCall(one) ?? []) };
}

function parentOutput(
  { from, output, files, as }: ParentInput,
  path: DocumentPath,
  context: LoweringContext,
): CallInput | undefined {
  const node = String(from);
  const conflict =
    output === undefined || files !== undefined || as !== undefined
      ? 'a tool gets a named `output` of another action, without `files` and `as`'
      : context.graph.scattered.has(node)
        ? 'the outputs of an action with `scatter` cannot be given to a tool'
        : undefined;
  if (conflict !== undefined) {
    noteConflict(conflict, path, context);
    return undefined;
  }
  if (outputPattern(node, output!, path, context) === undefined) return undefined;
  return { node, output: output!, called: context.tools.has(node) };
}

/** What is wrong with a tool is told with its own place and code, at the place where it is called. */
function noteTool(error: unknown, tool: string, path: DocumentPath, problems: Problems): void {
  if (!(error instanceof VarveError)) throw error;
  const causes = error.problems.length > 0 ? error.problems : [error];
  for (const cause of causes.slice(0, 20)) {
    const at = cause.place === undefined ? '' : ` (line ${cause.place.line} of ${cause.place.file})`;
    const make = cause.kind === 'unsupported' ? languageErrors.TOOL_UNSUPPORTED : languageErrors.TOOL_INVALID;
    problems.add(path, 'value', (place) =>
      make.with({ place, hint: cause.hint }, problems.where(path), tool, `${cause.message}${at}`),
    );
  }
}

// One action of the document to one node: a command, or a node that expands when the action has `scatter` or `when`.
import type { Json, JsonObject } from '../../core/json.ts';
import type { NodeDefinition } from '../../core/workflow.ts';
import { commandLineType, type ExpandSpec, expandType } from './command-spec.ts';
import type { ScatterDocument } from './document.ts';
import { languageErrors } from './error-codes.ts';
import { conditionReferences } from './evaluate-condition.ts';
import { plainName } from './field-shape.ts';
import type { GivenValue } from './given-value.ts';
import { type InputSpec, inputIdentity, variablePart } from './input-spec.ts';
import { lowerCommand } from './lower-command.ts';
import { type LoweredInputs, lowerInputs, noteCollision } from './lower-inputs.ts';
import { lowerPolicy } from './lower-policy.ts';
import type { CheckedAction, InputKind, LoweringContext } from './lowering-context.ts';
import { hintFromNames } from './nearest-name.ts';
import { ConditionMistake, parseCondition } from './parse-condition.ts';
import type { DocumentPath } from './problems.ts';

/** The node of a checked action; problems are noted, and the node is then not used. */
export function lowerAction(
  action: CheckedAction,
  path: DocumentPath,
  result: boolean,
  context: LoweringContext,
): NodeDefinition {
  const key = String(action.id);
  const inputs = lowerInputs(action, path, context);
  const common = {
    key,
    name: action.name ?? key,
    parents: inputs.parents,
    policy: lowerPolicy(action, path, context),
    result,
  };
  if (action.scatter === undefined && action.when === undefined) {
    const { identity, spec } = lowerCommand(action, path, inputs, context);
    return {
      ...common,
      type: commandLineType,
      expands: false,
      identity,
      spec: spec as unknown as JsonObject,
    };
  }
  const scatter = lowerScatter(action, path, inputs, context);
  const element = lowerCommand(action, path, inputs, context);
  const condition = lowerCondition(action, path, inputs.kinds, context);
  const spec: ExpandSpec = {
    type: expandType,
    element: {
      spec: element.spec,
      ...(element.identity === (element.spec as unknown) ? {} : { identity: element.identity }),
    },
    ...(scatter === undefined ? {} : { scatter }),
    ...condition,
  };
  const identity = {
    type: expandType,
    element: element.identity,
    ...(scatter === undefined
      ? {}
      : { scatter: { as: scatter.as, over: scatter.over, input: inputIdentity(scatter.input) } }),
    ...condition,
  };
  return {
    ...common,
    type: expandType,
    expands: true,
    identity: identity as unknown as JsonObject,
    spec: spec as unknown as JsonObject,
  };
}

/** Replaces the list among the inputs by its entry, which is all that an element sees. */
function lowerScatter(
  action: CheckedAction,
  path: DocumentPath,
  inputs: LoweredInputs,
  context: LoweringContext,
): ExpandSpec['scatter'] {
  if (action.scatter === undefined) return undefined;
  const { problems } = context;
  const scatterPath = { parent: path, key: 'scatter' };
  const written: ScatterDocument =
    typeof action.scatter === 'string' ? { over: action.scatter } : (action.scatter as ScatterDocument);
  const { over, as = over } = written;
  if (written.as !== undefined && !plainName.pattern.test(as)) {
    const asPath = { parent: scatterPath, key: 'as' };
    problems.add(asPath, 'value', (place) =>
      languageErrors.NAME_INVALID.with({ place }, problems.where(asPath), as, plainName.words),
    );
  }
  const kind = inputs.kinds.get(over);
  if (kind === undefined) {
    const hint = hintFromNames(over, [...inputs.kinds.keys()], 'inputs');
    problems.add(scatterPath, 'value', (place) =>
      languageErrors.REFERENCE_UNKNOWN.with({ place, hint }, problems.where(scatterPath), `inputs.${over}`),
    );
    return undefined;
  }
  const list = kind.form === 'list' || kind.form === 'many' || (kind.form === 'read' && kind.list !== false);
  if (!list)
    problems.add(scatterPath, 'value', (place) =>
      languageErrors.SCATTER_NOT_LIST.with({ place }, problems.where(scatterPath), over),
    );
  const input = inputs.specs.get(over);
  inputs.remove(over);
  const taken = [...inputs.kinds.keys()].find((name) => variablePart(name) === variablePart(as));
  if (taken !== undefined) noteCollision(taken, as, `VARVE_INPUT_${variablePart(as)}`, scatterPath, context);
  inputs.kinds.set(as, entryKind(kind, input));
  return input === undefined ? undefined : { over, as, input };
}

function entryKind(kind: InputKind, input: InputSpec | undefined): InputKind {
  if (kind.form === 'many') return { form: 'path' };
  if (kind.form === 'read') return { form: 'read', list: kind.list === true ? false : undefined };
  return { form: input !== undefined && 'list' in input ? 'path' : 'scalar' };
}

function lowerCondition(
  action: CheckedAction,
  path: DocumentPath,
  kinds: ReadonlyMap<string, InputKind>,
  context: LoweringContext,
): Pick<ExpandSpec, 'when' | 'params'> {
  if (action.when === undefined) return {};
  const when = String(action.when);
  const whenPath = { parent: path, key: 'when' };
  const { problems } = context;
  const note = (detail: string, hint?: string): void =>
    problems.add(whenPath, 'value', (place) =>
      languageErrors.CONDITION_REFERENCE.with({ place, hint }, problems.where(whenPath), detail),
    );
  const params: Record<string, Json> = {};
  try {
    for (const { root, name } of conditionReferences(parseCondition(when))) {
      if (root === 'params') {
        const value = context.parameters.get(name);
        const plain = value && plainValue(value);
        if (plain !== undefined) params[name] = plain;
        else if (value !== undefined) note(`params.${name} is a ${value.is}, not a value`);
        else if (!context.parameterNames.includes(name))
          note(`there is no params.${name}`, hintFromNames(name, context.parameterNames, 'params'));
        continue;
      }
      const kind = kinds.get(name);
      if (kind === undefined)
        note(`there is no inputs.${name}`, hintFromNames(name, [...kinds.keys()], 'inputs'));
      else if (kind.form === 'path' || kind.form === 'many')
        note(`inputs.${name} is a path, not a value`, 'read it with `as: text`, `number`, `json` or `lines`');
    }
  } catch (error) {
    if (!(error instanceof ConditionMistake)) throw error;
    const detail = error.at === undefined ? error.message : `${error.message} (character ${error.at + 1})`;
    problems.add(whenPath, 'value', (place) =>
      languageErrors.CONDITION_SYNTAX.with({ place }, problems.where(whenPath), detail),
    );
  }
  return Object.keys(params).length === 0 ? { when } : { when, params };
}

function plainValue(value: GivenValue): Json | undefined {
  if (value.is === 'scalar') return value.value;
  if (value.is !== 'list' || !value.items.every((item) => item.is === 'scalar')) return undefined;
  return value.items.map((item) => item.value);
}

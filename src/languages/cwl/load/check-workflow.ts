// Checks that need a whole workflow: links between types that never fit, required inputs that nobody connects, outputs that a
// process does not have, circles of steps, and features whose requirement is not listed.
import { cwlErrors } from '../error-codes.ts';
import { acceptsNull, type CwlType, describeType, unionOf } from '../model/cwl-type.ts';
import type { LinkSource, Process, Step, StepInput, Workflow } from '../model/process.ts';
import {
  findRequirement,
  nestRequirements,
  noRequirements,
  type Requirements,
} from '../model/requirement.ts';
import { placeIn } from './build-context.ts';
import { nameHint, type Problems } from './problems.ts';
import type { SourceNode } from './source-node.ts';
import { fits, linkedType } from './type-fit.ts';

type Places = WeakMap<object, SourceNode>;

/** Checks a workflow and the workflows inside it; other processes have nothing to check here. */
export function checkWorkflow(
  process: Process,
  problems: Problems,
  places: Places,
  outer: Requirements = noRequirements,
): void {
  if (process.class !== 'Workflow') return;
  const requirements = nestRequirements(outer, process);
  const types = linkTypes(process);
  for (const step of process.steps) {
    checkStep(step, types, nestRequirements(requirements, step), problems, places);
    checkWorkflow(step.run, problems, places, nestRequirements(requirements, step));
  }
  for (const output of process.outputs) {
    const sources = output.link.sources.map((source) => types.get(linkName(source)));
    if (sources.length === 0 || sources.includes(undefined)) continue;
    checkFit(
      output.link,
      sources as CwlType[],
      output.link.sources,
      output.name,
      output.type,
      output,
      problems,
      places,
    );
  }
  checkCycles(process, problems, places);
}

function linkName(source: LinkSource): string {
  return 'input' in source ? source.input : `${source.step}/${source.output}`;
}

/** The type of every workflow input and step output, as the steps around see it. */
function linkTypes(workflow: Workflow): Map<string, CwlType> {
  const types = new Map<string, CwlType>();
  for (const input of workflow.inputs) {
    const hasDefault = input.default !== undefined && input.default !== null;
    types.set(input.name, hasDefault ? withoutNull(input.type) : input.type);
  }
  for (const step of workflow.steps) {
    for (const output of step.run.outputs) {
      let type = step.when === undefined ? output.type : unionOf(['null', output.type]);
      const depth =
        step.scatterMethod === 'nested_crossproduct' ? step.scatter.length : Math.min(1, step.scatter.length);
      for (let level = 0; level < depth; level += 1) type = { type: 'array', items: type };
      types.set(`${step.name}/${output.name}`, type);
    }
  }
  return types;
}

function withoutNull(type: CwlType): CwlType {
  return typeof type === 'object' && type.type === 'union'
    ? unionOf(type.of.filter((one) => one !== 'null'))
    : type;
}

function checkStep(
  step: Step,
  types: ReadonlyMap<string, CwlType>,
  requirements: Requirements,
  problems: Problems,
  places: Places,
): void {
  const place = placeIn(places, step);
  const declared = step.run.outputs.map(({ name }) => name);
  for (const name of step.out) {
    if (declared.includes(name)) continue;
    problems.add(cwlErrors.CWL_STEP_OUTPUT.with({ place, hint: nameHint(name, declared) }, step.name, name));
  }
  for (const input of step.run.inputs) {
    const connected = step.in.find((one) => one.name === input.name);
    if (connected === undefined) {
      if (input.default === undefined && !acceptsNull(input.type))
        problems.add(
          cwlErrors.CWL_STEP_INPUT.with({ place }, step.name, input.name, describeType(input.type)),
        );
    } else checkStepInput(step, connected, input.type, input.default !== undefined, types, problems, places);
  }
  const features = [
    [step.run.class === 'Workflow', 'a workflow as a step', 'SubworkflowFeatureRequirement'],
    [step.scatter.length > 0, 'scatter', 'ScatterFeatureRequirement'],
    [
      step.in.some(({ link }) => link.sources.length > 1),
      'several sources',
      'MultipleInputFeatureRequirement',
    ],
    [step.in.some(({ valueFrom }) => valueFrom !== undefined), 'valueFrom', 'StepInputExpressionRequirement'],
  ] as const;
  for (const [used, what, requirement] of features)
    if (used && findRequirement(requirements, requirement) === undefined)
      problems.warn(cwlErrors.CWL_FEATURE_NOT_DECLARED.with({ place }, what, requirement));
}

function checkStepInput(
  step: Step,
  input: StepInput,
  declared: CwlType,
  hasOwnDefault: boolean,
  types: ReadonlyMap<string, CwlType>,
  problems: Problems,
  places: Places,
): void {
  if (input.valueFrom !== undefined) return;
  const sources = input.link.sources.map((source) => types.get(linkName(source)));
  if (sources.includes(undefined)) return;
  const optional = input.default !== undefined || hasOwnDefault;
  const single = optional ? unionOf(['null', declared]) : declared;
  const sink: CwlType = step.scatter.includes(input.name) ? { type: 'array', items: single } : single;
  const name = `${step.name}/${input.name}`;
  if (sources.length === 0) {
    if (input.default === undefined && !hasOwnDefault && !acceptsNull(declared))
      problems.add(
        cwlErrors.CWL_STEP_INPUT.with(
          { place: placeIn(places, input) },
          step.name,
          input.name,
          describeType(declared),
        ),
      );
    return;
  }
  checkFit(input.link, sources as CwlType[], input.link.sources, name, sink, input, problems, places);
}

function checkFit(
  link: Parameters<typeof linkedType>[0],
  sources: readonly CwlType[],
  names: readonly LinkSource[],
  sinkName: string,
  sink: CwlType,
  part: object,
  problems: Problems,
  places: Places,
): void {
  const given = linkedType(link, sources);
  const fit = fits(given, sink);
  if (fit === 'always') return;
  const from = names.map(linkName).join(', ');
  const place = placeIn(places, part);
  const text = [from, describeType(given), sinkName, describeType(sink)] as const;
  if (fit === 'never') problems.add(cwlErrors.CWL_LINK_TYPE.with({ place }, ...text));
  else problems.warn(cwlErrors.CWL_LINK_TYPE_PARTIAL.with({ place }, ...text));
}

function checkCycles(workflow: Workflow, problems: Problems, places: Places): void {
  const steps = new Map(workflow.steps.map((step) => [step.name, step]));
  const done = new Set<string>();
  const visit = (name: string, path: readonly string[]): boolean => {
    if (done.has(name)) return false;
    if (path.includes(name)) {
      const chain = [...path.slice(path.indexOf(name)), name].join(' → ');
      const place = placeIn(places, steps.get(name)!);
      problems.add(cwlErrors.CWL_STEP_CYCLE.with({ place }, chain));
      return true;
    }
    const step = steps.get(name);
    const before = step?.in
      .flatMap(({ link }) => link.sources)
      .flatMap((source) => ('step' in source ? source.step : []));
    const found = (before ?? []).some((one) => visit(one, [...path, name]));
    done.add(name);
    return found;
  };
  for (const step of workflow.steps) if (visit(step.name, [])) return;
}

// Workflows and their steps to normal form: links are resolved to a workflow input or a step's output, `run` to the process itself.
import { cwlErrors } from '../error-codes.ts';
import type {
  Link,
  LinkSource,
  ScatterMethod,
  Step,
  StepInput,
  Workflow,
  WorkflowOutput,
} from '../model/process.ts';
import { fileTraits, loadListings } from './build-binding.ts';
import { type BuildContext, compact, located } from './build-context.ts';
import { buildInputs, parameterName, parameterType } from './build-parameter.ts';
import { buildRequirements } from './build-requirement.ts';
import { buildBase } from './build-tool.ts';
import { FieldReader } from './field-reader.ts';
import { fileValue } from './file-value.ts';
import { nameHint } from './problems.ts';
import { placeOf, type SourceMap, type SourceNode, stringAt } from './source-node.ts';
import { fragmentOf, shortName } from './uri.ts';

const linkMerges = ['merge_nested', 'merge_flattened'] as const;
const pickValues = ['first_non_null', 'the_only_non_null', 'all_non_null'] as const;
const scatterMethods: readonly ScatterMethod[] = ['dotproduct', 'nested_crossproduct', 'flat_crossproduct'];

/** What a link inside a workflow can name. */
interface Linkable {
  readonly inputs: ReadonlySet<string>;
  readonly steps: ReadonlyMap<string, ReadonlySet<string>>;
  /** Identifier of the workflow inside its document, for links that are written in full. */
  readonly scope: string;
}

export function buildWorkflow(fields: FieldReader, root: SourceNode, context: BuildContext): Workflow {
  for (const name of ['inputs', 'outputs', 'steps']) if (fields.get(name) === undefined) fields.missing(name);
  const inputs = buildInputs(fields, context).map(({ parameter }) => parameter);
  const stepNodes = fields.identified('steps', 'id');
  const linkable: Linkable = {
    inputs: new Set(inputs.map(({ name }) => name)),
    steps: new Map(stepNodes.map((node) => [shortName(stringAt(node, 'id') ?? ''), stepOutputs(node)])),
    scope: fragmentOf(context.processId) ?? '',
  };
  const base = buildBase(fields, root, context);
  const steps = stepNodes.flatMap((node) => buildStep(node, linkable, context));
  const seen = new Set<string>();
  for (const step of steps) {
    if (seen.has(step.name)) {
      const place = placeOf(context.places.get(step)!);
      context.problems.add(cwlErrors.CWL_DUPLICATE.with({ place }, 'step', step.name));
    }
    seen.add(step.name);
  }
  const outputs = fields
    .identified('outputs', 'id', 'type')
    .map((node) => buildWorkflowOutput(node, linkable, context));
  return located({ class: 'Workflow' as const, ...base, inputs, outputs, steps }, fields.node, context);
}

function stepOutputs(node: SourceMap): ReadonlySet<string> {
  const out = node.entries.get('out')?.value;
  if (out?.kind !== 'list') return new Set();
  return new Set(out.items.flatMap((item) => outputName(item) ?? []));
}

function outputName(item: SourceNode): string | undefined {
  const id = item.kind === 'scalar' && typeof item.value === 'string' ? item.value : stringAt(item, 'id');
  return id === undefined ? undefined : shortName(id);
}

function buildWorkflowOutput(node: SourceMap, linkable: Linkable, context: BuildContext): WorkflowOutput {
  const fields = new FieldReader(node, 'WorkflowOutput', context);
  const { type } = parameterType(fields, 'output', context);
  const output = compact({
    name: parameterName(fields),
    type,
    label: fields.string('label'),
    doc: fields.doc(),
    ...fileTraits(fields, undefined, context),
    link: buildLink(fields, 'outputSource', linkable, context),
  });
  return located(output, node, context);
}

function buildStep(node: SourceMap, linkable: Linkable, context: BuildContext): Step[] {
  const fields = new FieldReader(node, 'WorkflowStep', context);
  const name = shortName(fields.requiredString('id'));
  for (const field of ['in', 'out', 'run']) if (fields.get(field) === undefined) fields.missing(field);
  const inputs = fields
    .identified('in', 'id', 'source')
    .map((item) => buildStepInput(item, linkable, context));
  const runNode = fields.get('run');
  const stepContext = {
    ...context,
    processId: `${context.processId}${separator(context.processId)}${name}/run`,
  };
  const run = runNode === undefined ? undefined : context.buildRun(runNode, stepContext);
  const scatter = (fields.strings('scatter') ?? []).map(shortName);
  for (const scattered of scatter) {
    if (inputs.some((input) => input.name === scattered)) continue;
    const place = placeOf(fields.get('scatter')!);
    const hint = nameHint(
      scattered,
      inputs.map((input) => input.name),
    );
    context.problems.add(cwlErrors.CWL_LINK.with({ place, hint }, 'scatter', scattered));
  }
  const scatterMethod = fields.oneOf('scatterMethod', scatterMethods);
  if (scatter.length > 1 && scatterMethod === undefined) fields.missing('scatterMethod');
  if (run === undefined) return [];
  const step = compact({
    name,
    label: fields.string('label'),
    doc: fields.doc(),
    in: inputs,
    out: fields.list('out').flatMap((item) => outputName(item) ?? []),
    run,
    when: fields.expression('when'),
    scatter,
    scatterMethod: scatterMethod ?? ('dotproduct' as const),
    ...buildRequirements(fields, context),
  });
  return [located(step as Step, node, context)];
}

function separator(processId: string): string {
  return processId.includes('#') ? '/' : '#';
}

function buildStepInput(node: SourceMap, linkable: Linkable, context: BuildContext): StepInput {
  const fields = new FieldReader(node, 'WorkflowStepInput', context);
  const given = node.entries.get('default');
  const input = compact({
    name: parameterName(fields),
    link: buildLink(fields, 'source', linkable, context),
    default: given === undefined ? undefined : fileValue(given.value),
    valueFrom: fields.string('valueFrom'),
    loadContents: fields.boolean('loadContents'),
    loadListing: fields.oneOf('loadListing', loadListings),
  });
  return located(input as StepInput, node, context);
}

function buildLink(fields: FieldReader, field: string, linkable: Linkable, context: BuildContext): Link {
  const node = fields.get(field);
  const items = node === undefined ? [] : node.kind === 'list' ? node.items : [node];
  const sources = items.flatMap((item) => {
    if (item.kind !== 'scalar' || typeof item.value !== 'string') {
      fields.wrong(field, 'a name or a list of names', item);
      return [];
    }
    const source = findSource(item.value, linkable);
    if (source === undefined) {
      const hint = nameHint(item.value, linkableNames(linkable));
      context.problems.add(cwlErrors.CWL_LINK.with({ place: placeOf(item), hint }, field, item.value));
    }
    return source ?? [];
  });
  return compact({
    sources,
    linkMerge: fields.oneOf('linkMerge', linkMerges),
    pickValue: fields.oneOf('pickValue', pickValues),
  });
}

/**
 * A link may be written relative to the workflow, or in full with the workflow's own identifier in front. A step may bear the name of the
 * workflow, so what is written without "#" is first taken as it stands.
 */
function findSource(reference: string, linkable: Linkable): LinkSource | undefined {
  const hash = reference.indexOf('#');
  const written = hash < 0 ? reference : reference.slice(hash + 1);
  const own = `${linkable.scope}/`;
  const relative = own !== '/' && written.startsWith(own) ? written.slice(own.length) : written;
  if (hash >= 0) return findNamed(relative, linkable, true);
  return findNamed(written, linkable, false) ?? findNamed(relative, linkable, false);
}

function findNamed(path: string, linkable: Linkable, inFull: boolean): LinkSource | undefined {
  const parts = path.split('/');
  const [last, before] = [parts.at(-1)!, parts.at(-2)];
  if (before !== undefined && linkable.steps.get(before)?.has(last)) return { step: before, output: last };
  if (parts.length === 1 || inFull) return linkable.inputs.has(last) ? { input: last } : undefined;
  return undefined;
}

function linkableNames(linkable: Linkable): string[] {
  const outputs = [...linkable.steps].flatMap(([step, names]) => [...names].map((name) => `${step}/${name}`));
  return [...linkable.inputs, ...outputs];
}

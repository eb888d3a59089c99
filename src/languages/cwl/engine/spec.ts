// What the specs of nodes hold: JSON that any worker can execute without the documents.
import type { JsonObject } from '../../../core/json.ts';
import type { CommandLineTool, CwlVersion, ExpressionTool, Step } from '../model/process.ts';
import type { DockerRequirement, Requirements } from '../model/requirement.ts';
import type { MemberOutput } from './dataset-values.ts';
import type { StepScope, Symbolic } from './symbol.ts';

/** An output of the node in a slot. */
export interface SlotOutput {
  readonly slot: string;
  readonly output: string;
  /** Set when another language made the dataset: its outputs are paths in it, of files or directories. */
  readonly paths?: 'File' | 'Directory';
}

export type SpecSymbol = Symbolic<SlotOutput, number>;
export type SpecScope = StepScope<SlotOutput, number>;

/** Values that become known when the inputs of a node are. */
export interface SpecValues {
  readonly values: Readonly<Record<string, SpecSymbol>>;
  readonly scopes: readonly SpecScope[];
}

/** How containers are used in a run. */
export interface ContainerChoice {
  readonly engine: 'docker' | 'podman' | 'apptainer';
}

export interface ContainerSpec {
  readonly image: DockerRequirement;
  readonly required: boolean;
}

interface CommonSpec {
  readonly job: SpecValues;
  readonly requirements: Requirements;
  /** Expressions of one trust domain share a sandbox context. */
  readonly trust?: string;
}

export interface ToolSpec extends CommonSpec {
  readonly tool: CommandLineTool;
  readonly container?: ContainerSpec;
  /** Inputs that the tool changes in place: their new state is an output named `inplace:` + input. */
  readonly inplace?: readonly string[];
}

export interface ExpressionSpec extends CommonSpec {
  readonly tool: ExpressionTool;
}

/** A step that has to wait for values before it is known what there is to run. */
export interface StepSpec extends CommonSpec {
  readonly step: Step;
  readonly version: CwlVersion;
  readonly options: LoweringChoices;
}

/** How the outputs of a grown node are put together from its members. */
export interface TemplateSpec {
  readonly template: Readonly<Record<string, Symbolic<MemberOutput | SlotOutput, number>>>;
}

/** The output object of a run. */
export interface OutputsSpec extends Omit<CommonSpec, 'requirements'> {
  readonly outputs: readonly { readonly name: string; readonly type: unknown }[];
}

/** What lowering needs to know again when a step grows. */
export interface LoweringChoices {
  readonly container?: ContainerChoice;
  readonly noReuse?: boolean;
}

export const nodeTypes = {
  tool: 'cwl-tool',
  expression: 'cwl-expression',
  step: 'cwl-step',
  template: 'cwl-template',
  outputs: 'cwl-outputs',
} as const;

/** A typed spec as the JSON that a node carries. */
export function specJson(
  spec: ToolSpec | ExpressionSpec | StepSpec | TemplateSpec | OutputsSpec,
): JsonObject {
  return spec as unknown as JsonObject;
}

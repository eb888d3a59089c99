// Workflows in TypeScript: `command` makes a step, `workflow` makes the same plain document that JSON and YAML write, so
// everything that holds for documents holds here. Steps refer to each other as objects; outputs are checked by the compiler.
import type {
  ActionDocument,
  ActionId,
  GivenInput,
  ParentInput,
  ParentReference,
  ReadAs,
  WorkflowDocument,
} from './document.ts';

/** An input that comes from another step. */
export interface StepInput extends Omit<ParentInput, 'from'> {
  // biome-ignore lint/suspicious/noExplicitAny: steps with any outputs may be parents
  readonly from: Step<any>;
}

export interface StepInputOptions {
  /** Take what the file contains as a value instead of its path. */
  readonly as?: ReadAs;
  /** The step may be skipped by its condition; the input is then empty. */
  readonly optional?: boolean;
}

/** One action under construction. */
export interface Step<Output extends string = string> {
  readonly id: ActionId;
  /** The action as the document will have it. */
  readonly action: ActionDocument;
  /** Steps that this one needs. */
  readonly parents: readonly Step[];
  /** One named output of this step, as an input of another. */
  output(name: Output, options?: StepInputOptions): StepInput;
  /** The files of this step's dataset that match a glob, as an input of another. */
  files(glob: string, options?: StepInputOptions): StepInput;
}

// biome-ignore lint/suspicious/noExplicitAny: steps with any outputs may be parents
type AnyStep = Step<any>;

export interface CommandOptions<Outputs extends Readonly<Record<string, string>>>
  extends Omit<ActionDocument, 'id' | 'type' | 'inputs' | 'outputs' | 'parentActions'> {
  readonly inputs?: Readonly<
    Record<string, GivenInput | readonly GivenInput[] | ParentInput | StepInput | AnyStep>
  >;
  readonly outputs?: Outputs;
  /** Steps that must end first; their datasets are in `VARVE_INPUT_<ID>`. */
  readonly parentActions?: readonly (ActionId | ParentReference | AnyStep)[];
}

export interface WorkflowOptions extends Omit<WorkflowDocument, 'name' | 'actions' | '$schema'> {
  /** The steps that are wanted; those that they need come along. */
  readonly actions: readonly AnyStep[];
}

/** A step that runs a command. */
export function command<
  const Outputs extends Readonly<Record<string, string>> = Readonly<Record<never, string>>,
>(id: ActionId, options: CommandOptions<Outputs>): Step<keyof Outputs & string> {
  const parents: AnyStep[] = [];
  const need = (step: AnyStep): ActionId => {
    if (!parents.includes(step)) parents.push(step);
    return step.id;
  };
  const { inputs, parentActions, ...rest } = options;
  const plainInputs = Object.entries(inputs ?? {}).map(([name, input]) => {
    if (isStep(input)) return [name, { from: need(input) }] as const;
    if (isStepInput(input)) return [name, { ...input, from: need(input.from) }] as const;
    return [name, input as Exclude<typeof input, StepInput | AnyStep>] as const;
  });
  const plainParents = (parentActions ?? []).map((parent) =>
    isStep(parent) ? need(parent) : (parent as ActionId | ParentReference),
  );
  const action: ActionDocument = {
    id,
    type: 'command-line',
    ...(plainParents.length > 0 ? { parentActions: plainParents } : {}),
    ...(plainInputs.length > 0 ? { inputs: Object.fromEntries(plainInputs) } : {}),
    ...rest,
  };
  const step: Step<keyof Outputs & string> = {
    id,
    action,
    parents,
    output: (output, input) => ({ from: step, output, ...input }),
    files: (files, input) => ({ from: step, files, ...input }),
  };
  return step;
}

/** The document of a workflow; `JSON.stringify` of it is a workflow file. */
export function workflow(name: string, options: WorkflowOptions): WorkflowDocument {
  const { actions, ...rest } = options;
  return { name, ...rest, actions: inOrder(actions).map((step) => step.action) };
}

/** Every needed step once, after those that it needs; without recursion, for chains of any length. */
function inOrder(wanted: readonly AnyStep[]): readonly AnyStep[] {
  const placed = new Set<AnyStep>();
  const entered = new Set<AnyStep>();
  const open = [...wanted].reverse();
  while (open.length > 0) {
    const step = open.at(-1)!;
    if (entered.has(step)) {
      placed.add(step);
      open.pop();
      continue;
    }
    entered.add(step);
    for (const parent of [...step.parents].reverse()) if (!entered.has(parent)) open.push(parent);
  }
  return [...placed];
}

function isStep(value: unknown): value is AnyStep {
  return typeof value === 'object' && value !== null && 'action' in value && 'parents' in value;
}

function isStepInput(value: unknown): value is StepInput {
  return typeof value === 'object' && value !== null && 'from' in value && isStep(value.from);
}

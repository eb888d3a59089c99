// The normal form of CWL processes, in the words of v1.2: every shorthand is written out, every older version is lifted, links are
// by short name, `run` holds the process itself. Plain JSON throughout.
import type { Json } from '../../../core/json.ts';
import type { CommandLineBinding, CwlType, FileTraits, OutputBinding } from './cwl-type.ts';
import type { Requirement } from './requirement.ts';

export type CwlVersion = 'v1.0' | 'v1.1' | 'v1.2';

export interface InputParameter extends FileTraits {
  readonly name: string;
  readonly type: CwlType;
  readonly label?: string;
  readonly doc?: string;
  readonly default?: Json;
  readonly inputBinding?: CommandLineBinding;
}

export interface OutputParameter extends FileTraits {
  readonly name: string;
  readonly type: CwlType;
  readonly label?: string;
  readonly doc?: string;
  readonly outputBinding?: OutputBinding;
}

export interface ProcessBase {
  /** Absolute identifier: document URL, with a fragment for anything but the whole document. */
  readonly id: string;
  readonly cwlVersion: CwlVersion;
  readonly label?: string;
  readonly doc?: string;
  readonly inputs: readonly InputParameter[];
  readonly outputs: readonly OutputParameter[];
  readonly requirements: readonly Requirement[];
  readonly hints: readonly Requirement[];
  /** URLs of the ontologies by which formats are compared; read only when two formats differ. */
  readonly schemas?: readonly string[];
}

export interface CommandLineTool extends ProcessBase {
  readonly class: 'CommandLineTool';
  readonly baseCommand: readonly string[];
  readonly arguments: readonly CommandLineBinding[];
  readonly stdin?: string;
  readonly stdout?: string;
  readonly stderr?: string;
  readonly successCodes: readonly number[];
  readonly temporaryFailCodes: readonly number[];
  readonly permanentFailCodes: readonly number[];
}

export interface ExpressionTool extends ProcessBase {
  readonly class: 'ExpressionTool';
  readonly expression: string;
}

export interface Operation extends ProcessBase {
  readonly class: 'Operation';
}

export type LinkMerge = 'merge_nested' | 'merge_flattened';
export type PickValue = 'first_non_null' | 'the_only_non_null' | 'all_non_null';
export type ScatterMethod = 'dotproduct' | 'nested_crossproduct' | 'flat_crossproduct';

/** A workflow input, or an output of a step. */
export type LinkSource = { readonly input: string } | { readonly step: string; readonly output: string };

export interface Link {
  readonly sources: readonly LinkSource[];
  readonly linkMerge?: LinkMerge;
  readonly pickValue?: PickValue;
}

export interface WorkflowOutput extends OutputParameter {
  readonly link: Link;
}

export interface StepInput extends Pick<FileTraits, 'loadContents' | 'loadListing'> {
  readonly name: string;
  readonly link: Link;
  readonly default?: Json;
  readonly valueFrom?: string;
}

export interface Step {
  readonly name: string;
  readonly label?: string;
  readonly doc?: string;
  readonly in: readonly StepInput[];
  readonly out: readonly string[];
  readonly run: Process;
  readonly when?: string;
  readonly scatter: readonly string[];
  readonly scatterMethod: ScatterMethod;
  readonly requirements: readonly Requirement[];
  readonly hints: readonly Requirement[];
}

export interface Workflow extends ProcessBase {
  readonly class: 'Workflow';
  readonly outputs: readonly WorkflowOutput[];
  readonly steps: readonly Step[];
}

export type Process = CommandLineTool | ExpressionTool | Workflow | Operation;

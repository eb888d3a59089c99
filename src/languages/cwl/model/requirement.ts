// Requirements and hints in normal form, and which one counts when a tool, its step and the workflows around it each have their own.
import type { Json } from '../../../core/json.ts';
import type { LoadListing } from './cwl-type.ts';

export interface InlineJavascript {
  readonly class: 'InlineJavascriptRequirement';
  readonly expressionLib: readonly string[];
}

export interface EnvVar {
  readonly class: 'EnvVarRequirement';
  readonly envDef: readonly { readonly envName: string; readonly envValue: string }[];
}

/** One entry of an initial working directory: an expression, a literal File or Directory, or a named entry. */
export type InitialEntry =
  | { readonly expression: string }
  | { readonly literal: Json }
  | { readonly entry: string; readonly entryname?: string; readonly writable: boolean };

export interface InitialWorkDir {
  readonly class: 'InitialWorkDirRequirement';
  readonly listing: readonly InitialEntry[];
}

export interface DockerRequirement {
  readonly class: 'DockerRequirement';
  readonly dockerPull?: string;
  readonly dockerLoad?: string;
  readonly dockerFile?: string;
  readonly dockerImport?: string;
  readonly dockerImageId?: string;
  readonly dockerOutputDirectory?: string;
}

export const resourceFields = [
  'coresMin',
  'coresMax',
  'ramMin',
  'ramMax',
  'tmpdirMin',
  'tmpdirMax',
  'outdirMin',
  'outdirMax',
] as const;

export type ResourceRequirement = {
  readonly class: 'ResourceRequirement';
} & { readonly [K in (typeof resourceFields)[number]]?: number | string };

export interface SoftwareRequirement {
  readonly class: 'SoftwareRequirement';
  readonly packages: readonly {
    readonly package: string;
    readonly version?: readonly string[];
    readonly specs?: readonly string[];
  }[];
}

export type Requirement =
  | InlineJavascript
  | EnvVar
  | InitialWorkDir
  | DockerRequirement
  | ResourceRequirement
  | SoftwareRequirement
  | { readonly class: 'SchemaDefRequirement' }
  | { readonly class: 'ShellCommandRequirement' }
  | { readonly class: 'LoadListingRequirement'; readonly loadListing: LoadListing }
  | { readonly class: 'WorkReuse'; readonly enableReuse: boolean | string }
  | { readonly class: 'NetworkAccess'; readonly networkAccess: boolean | string }
  | { readonly class: 'InplaceUpdateRequirement'; readonly inplaceUpdate: boolean }
  | { readonly class: 'ToolTimeLimit'; readonly timelimit: number | string }
  | { readonly class: 'SubworkflowFeatureRequirement' }
  | { readonly class: 'ScatterFeatureRequirement' }
  | { readonly class: 'MultipleInputFeatureRequirement' }
  | { readonly class: 'StepInputExpressionRequirement' };

export type RequirementClass = Requirement['class'];
export type RequirementOf<C extends RequirementClass> = Extract<Requirement, { readonly class: C }>;

/** The requirements and hints in force for a process; the most specific of each class counts. */
export interface Requirements {
  readonly required: Readonly<Record<string, Requirement>>;
  readonly hinted: Readonly<Record<string, Requirement>>;
}

export const noRequirements: Requirements = { required: {}, hinted: {} };

interface Declares {
  readonly requirements: readonly Requirement[];
  readonly hints: readonly Requirement[];
}

/** What is in force inside `inner`, given what is in force around it. */
export function nestRequirements(outer: Requirements, inner: Declares): Requirements {
  const required: Record<string, Requirement> = { ...outer.required };
  const hinted: Record<string, Requirement> = { ...outer.hinted };
  for (const one of inner.requirements) required[one.class] = one;
  for (const one of inner.hints) hinted[one.class] = one;
  return { required, hinted };
}

/** The requirement, or else the hint, of a class. */
export function findRequirement<C extends RequirementClass>(
  requirements: Requirements,
  name: C,
): RequirementOf<C> | undefined {
  return (requirements.required[name] ?? requirements.hinted[name]) as RequirementOf<C> | undefined;
}

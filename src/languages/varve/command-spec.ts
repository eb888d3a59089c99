// The spec of a `command-line` node: what the action type needs to run it. Identity is the same object without places
// (paths, container engine); for most actions the two are one object.
import type { Json } from '../../core/json.ts';
import type { ContainerEngine } from './document.ts';
import type { FileSpec, InputSpec } from './input-spec.ts';
import type { Template } from './template.ts';

export const commandLineType = 'command-line';
export const expandType = 'varve-expand';

export interface CommandSpec {
  readonly type: typeof commandLineType;
  /** Either a list of words … */
  readonly argv?: readonly Template[];
  /** … or the text for `/bin/sh -c`. */
  readonly shell?: string;
  readonly inputs?: Readonly<Record<string, InputSpec>>;
  readonly env?: Readonly<Record<string, Template>>;
  readonly outputs?: Readonly<Record<string, Template>>;
  readonly stdin?: { readonly input: string } | { readonly file: FileSpec };
  readonly stdout?: Template;
  readonly stderr?: Template;
  readonly programs?: readonly FileSpec[];
  readonly successCodes?: readonly number[];
  readonly container?: {
    readonly image?: string;
    readonly digest?: string;
    readonly engine?: ContainerEngine;
  };
  readonly network?: true;
  readonly additionalInput?: readonly (readonly [string, string])[];
  readonly configuration?: readonly (readonly [string, string])[];
}

/** The spec of a node that grows: the action it becomes, and what decides how often and whether. */
export interface ExpandSpec {
  readonly type: typeof expandType;
  readonly element: { readonly spec: CommandSpec; readonly identity?: Json };
  readonly scatter?: { readonly over: string; readonly as: string; readonly input: InputSpec };
  readonly when?: string;
  /** Values of the parameters that the condition uses. */
  readonly params?: Readonly<Record<string, Json>>;
}

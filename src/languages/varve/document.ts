// A workflow document as TypeScript sees it. The field table has one row for every property here (the compiler checks
// it); checks, JSON Schema and reference page follow from that table.
import type { FailurePolicy, Keep } from '../../core/workflow.ts';

export type ActionId = string | number;
export type Scalar = string | number | boolean;
export type Duration = string | number;
export type Size = string | number;
export type ContainerEngine = 'docker' | 'podman' | 'apptainer';

/** A file that the document names, relative to its own folder. */
export interface FileInput {
  readonly file: string;
}
/** A directory that the document names, relative to its own folder. */
export interface DirectoryInput {
  readonly directory: string;
}
/** A file that is fetched when the run is submitted. */
export interface UrlInput {
  readonly url: string;
}
/** How the content of a parent's output becomes a value. */
export type ReadAs = 'text' | 'number' | 'json' | 'lines';
/** The dataset of another action, one of its outputs, files in it, or a value read from it. */
export interface ParentInput {
  readonly from: ActionId;
  readonly output?: string;
  readonly files?: string;
  readonly as?: ReadAs;
  readonly optional?: boolean;
}

export type GivenInput = Scalar | FileInput | DirectoryInput | UrlInput;
export type InputDocument = GivenInput | readonly GivenInput[] | ParentInput;

export type ParameterType = 'string' | 'number' | 'boolean' | 'list' | 'file' | 'directory' | 'url';
export interface DeclaredParameter {
  readonly type: ParameterType;
  readonly default?: Scalar | readonly GivenInput[];
  readonly description?: string;
}
export type ParameterDocument = DeclaredParameter | GivenInput | readonly GivenInput[];

export interface ResourcesDocument {
  readonly cores?: number;
  readonly memory?: Size;
  readonly disk?: Size;
  readonly time?: Duration;
  readonly tags?: readonly string[];
}

export interface RetriesDocument {
  readonly count: number;
  readonly delay?: Duration;
  readonly backoff?: number;
  readonly maxDelay?: Duration;
  readonly exitCodes?: readonly number[];
}

export interface ContainerDocument {
  readonly image: string;
  readonly engine?: ContainerEngine;
  readonly digest?: string;
}

export interface ScatterDocument {
  readonly over: string;
  readonly as?: string;
}

export interface ParentReference {
  readonly id: ActionId;
  readonly optional?: boolean;
}

export interface KeyedValue {
  readonly key?: string;
  readonly value?: Scalar;
}

/** What an action and the workflow's `defaults` have in common. */
export interface DefaultsDocument {
  readonly resources?: ResourcesDocument;
  readonly retries?: number | RetriesDocument;
  readonly timeout?: Duration;
  readonly env?: Readonly<Record<string, Scalar>>;
  readonly container?: string | ContainerDocument;
  readonly network?: boolean;
  readonly keep?: Keep;
  readonly priority?: number;
}

export interface ActionDocument extends DefaultsDocument {
  readonly id: ActionId;
  readonly name?: string;
  readonly description?: string;
  readonly type?: string;
  readonly parentActions?: readonly (ActionId | ParentReference)[];
  readonly forceComputation?: boolean;
  readonly isManaged?: boolean;
  readonly outputPath?: string;
  readonly command: string | readonly Scalar[];
  readonly inputs?: Readonly<Record<string, InputDocument>>;
  readonly outputs?: Readonly<Record<string, string>>;
  readonly stdin?: string | FileInput;
  readonly stdout?: string;
  readonly stderr?: string;
  readonly programs?: readonly string[];
  readonly successCodes?: readonly number[];
  readonly when?: string | boolean;
  readonly scatter?: string | ScatterDocument;
  readonly additionalInput?: readonly KeyedValue[];
  readonly configurationParameters?: readonly KeyedValue[];
}

/** An action that calls a CWL tool. */
export interface CallDocument {
  readonly id: ActionId;
  readonly name?: string;
  readonly description?: string;
  readonly type: 'cwl';
  readonly tool: string;
  readonly inputs?: Readonly<Record<string, InputDocument>>;
  readonly forceComputation?: boolean;
  readonly keep?: Keep;
  readonly priority?: number;
}

export interface WorkflowDocument {
  readonly $schema?: string;
  readonly name: string;
  readonly description?: string;
  readonly startActionId?: ActionId;
  readonly endActionId?: ActionId;
  readonly failurePolicy?: FailurePolicy;
  readonly params?: Readonly<Record<string, ParameterDocument>>;
  readonly defaults?: DefaultsDocument;
  readonly actions: readonly (ActionDocument | CallDocument)[];
}

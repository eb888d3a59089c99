// What lowering carries along: the nodes made so far, and how files, containers and trust are to be treated.
import type { NodeDefinition } from '../../../core/workflow.ts';
import type { Process } from '../model/process.ts';
import type { Requirements } from '../model/requirement.ts';
import type { DigestFile } from './content-identity.ts';
import type { LoweringChoices } from './spec.ts';
import type { Origin } from './spec-writer.ts';
import type { Sym } from './symbol.ts';

export interface LoweringContext {
  readonly nodes: NodeDefinition[];
  /** Datasets whose files may appear in literals: those that a growing node got. */
  readonly origins: readonly Origin[];
  readonly digest: DigestFile;
  readonly choices: LoweringChoices;
  readonly trust?: string | undefined;
  /** Inserts the nodes of a process and returns its outputs. Here, because steps contain workflows which contain steps. */
  readonly lowerProcess: (
    context: LoweringContext,
    process: Process,
    inputs: Readonly<Record<string, Sym>>,
    key: string,
    outer: Requirements,
  ) => Promise<Record<string, Sym>>;
}

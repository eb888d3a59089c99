// A finished command to a dataset: did it end well, are its outputs there, and where.
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { VarveError } from '../../core/errors.ts';
import type { CollectContext, Collected } from '../../core/ports/action-type.ts';
import { type ResolvedInputs, resolveInputs } from './command-inputs.ts';
import { inputReferences, isTemplateGlob, outputPattern } from './command-references.ts';
import type { CommandSpec } from './command-spec.ts';
import { type CommandValue, matchPaths } from './dataset-files.ts';
import { languageErrors } from './error-codes.ts';
import type { ReferenceValues } from './template.ts';

/** Checks exit code and declared outputs; the value of the dataset says where each output is. */
export async function collectCommand(context: CollectContext): Promise<Collected> {
  const { space, outcome } = context;
  const spec = context.node.spec as unknown as CommandSpec;
  try {
    if (outcome.signal !== undefined || !(spec.successCodes ?? [0]).includes(outcome.exitCode))
      return failure(await commandFailure(context, spec), true);
    const outputs: Record<string, string | readonly string[]> = {};
    if (spec.outputs !== undefined) {
      const symbolic = Object.values(spec.outputs).some((template) => typeof template !== 'string');
      const references = symbolic ? inputReferences(await inputsOf(context, spec)) : noReferences;
      for (const [name, template] of Object.entries(spec.outputs)) {
        const path = outputPattern(name, template, references);
        const several = isTemplateGlob(template);
        const found = await matchPaths(space.out, path, several, false);
        if (found.length === 0) return failure(languageErrors.OUTPUT_MISSING(name, path), false);
        outputs[name] = several ? found : found[0]!;
      }
    }
    const value: CommandValue = { outputs, exitCode: outcome.exitCode };
    return { value };
  } catch (error) {
    if (error instanceof VarveError) return failure(error, false);
    throw error;
  }
}

const noReferences: ReferenceValues = { text: () => '', words: () => [] };

function inputsOf(context: CollectContext, spec: CommandSpec): Promise<ResolvedInputs> {
  return resolveInputs(spec, context.node.parents, context.inputs, context.space.work);
}

function failure(error: VarveError, retryable: boolean): Collected {
  const message = error.hint === undefined ? error.message : `${error.message} (${error.hint})`;
  return { failure: { code: error.code, message, retryable } };
}

async function commandFailure(context: CollectContext, spec: CommandSpec): Promise<VarveError> {
  const { outcome, space } = context;
  const ended =
    outcome.signal === undefined
      ? `ended with exit code ${outcome.exitCode}`
      : `was ended by ${outcome.signal}`;
  const log = spec.stderr === undefined ? join(space.logs, 'stderr') : undefined;
  return languageErrors.COMMAND_FAILED(ended, log === undefined ? '' : await lastLine(log));
}

/** The last line of a log that says something, so that a failure can be understood without opening the log. */
async function lastLine(path: string): Promise<string> {
  const file = await open(path).catch(() => undefined);
  if (file === undefined) return '';
  try {
    const { size } = await file.stat();
    const length = Math.min(size, 2048);
    const { buffer } = await file.read(Buffer.alloc(length), 0, length, size - length);
    const lines = buffer
      .toString('utf8')
      .split('\n')
      .map((line) => line.trim());
    return (lines.findLast((line) => line !== '') ?? '').slice(-300);
  } finally {
    await file.close();
  }
}

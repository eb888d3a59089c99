// What the ${…} references of a command stand for in one attempt.
import { join } from 'node:path';
import type { AttemptSpace } from '../../core/ports/storage.ts';
import type { Resources } from '../../core/workflow.ts';
import { isInnerPath } from './check-shape.ts';
import type { ResolvedInputs } from './command-inputs.ts';
import type { CommandSpec } from './command-spec.ts';
import { languageErrors } from './error-codes.ts';
import { isGlob } from './lower-inputs.ts';
import { type ReferenceValues, type Template, templateText } from './template.ts';

/** Absolute paths of the named outputs that are single files. */
export function outputPaths(
  spec: CommandSpec,
  inputs: ResolvedInputs,
  space: AttemptSpace,
): Map<string, string> {
  const paths = new Map<string, string>();
  if (spec.outputs === undefined) return paths;
  const references = inputReferences(inputs);
  for (const [name, template] of Object.entries(spec.outputs)) {
    if (!isTemplateGlob(template))
      paths.set(name, join(space.out, outputPattern(name, template, references)));
  }
  return paths;
}

/** The path or glob of an output inside the output directory. */
export function outputPattern(name: string, template: Template, references: ReferenceValues): string {
  const literal: ReferenceValues = isTemplateGlob(template)
    ? { ...references, text: (ref) => references.text(ref).replace(/[*?[\]{}]/g, '[$&]') }
    : references;
  const path = templateText(template, literal);
  if (!isInnerPath(path)) throw languageErrors.OUTPUT_PATH(name, path);
  return path;
}

/** Only the document makes globs: signs that come from values are ordinary characters of a name. */
export function isTemplateGlob(template: Template): boolean {
  if (typeof template === 'string') return isGlob(template);
  return template.some((piece) => typeof piece === 'string' && isGlob(piece));
}

/** References to inputs alone. */
export function inputReferences(inputs: ResolvedInputs): ReferenceValues {
  const value = (ref: string) => inputs.values.get(ref.slice('inputs.'.length));
  return { text: (ref) => value(ref)?.text ?? '', words: (ref) => value(ref)?.words ?? [] };
}

/** All references that a command may use. */
export function referenceValues(
  inputs: ResolvedInputs,
  outputs: ReadonlyMap<string, string>,
  space: AttemptSpace,
  resources: Resources,
): ReferenceValues {
  const given = inputReferences(inputs);
  const own: Readonly<Record<string, string | number | undefined>> = {
    output: space.out,
    'resources.cores': resources.cores,
    'resources.memory': resources.memoryBytes,
    'resources.disk': resources.diskBytes,
    'resources.time': resources.timeMs === undefined ? undefined : resources.timeMs / 1000,
  };
  const text = (ref: string): string => {
    if (ref.startsWith('inputs.')) return given.text(ref);
    if (ref.startsWith('outputs.')) return outputs.get(ref.slice('outputs.'.length)) ?? '';
    return String(own[ref] ?? '');
  };
  return { text, words: (ref) => (ref.startsWith('inputs.') ? given.words(ref) : [text(ref)]) };
}

// The table of families: every generator of histories with its parameters. Figures in docs/decisions.md were measured with
// exactly these defaults.
import { isList, type Json, type JsonObject } from '../../core/json.ts';
import { labErrors } from '../error-codes.ts';
import type { History } from '../history.ts';
import type { Random } from '../random.ts';
import { readText } from '../read-text.ts';
import { readWfFormat } from '../wfformat.ts';
import { generateResubmissions, type ResubmissionParameters, resubmissionDefaults } from './resubmission.ts';
import { chain, cybershake, diamonds, epigenomics, montage } from './shapes.ts';
import type { Template } from './template.ts';
import { generateThesis, type ThesisParameters, thesisDefaults } from './thesis.ts';

export interface Family {
  readonly name: string;
  /** One line for the command line's help. */
  readonly summary: string;
  readonly defaults: JsonObject;
  generate(parameters: JsonObject, seed: number): History;
}

const sparse = { mean: 2, deviation: 1 };

/** All families, by name. */
export const families: Readonly<Record<string, Family>> = Object.fromEntries(
  [
    thesisFamily('thesis', 'the thesis’ generators as published: dense graphs, uniform reuse', {}),
    thesisFamily('thesis-sparse', 'the thesis’ generators with few edges', {
      children: sparse,
      parents: sparse,
    }),
    thesisFamily('zipf', 'a few actions are reused most; heavy-tailed sizes and times', {
      children: sparse,
      parents: sparse,
      distribution: 'log-normal',
      sizeMegabytes: { mean: 200, deviation: 1.2 },
      seconds: { mean: 150, deviation: 1.2 },
      pick: 'popularity',
    }),
    thesisFamily('drift', 'as zipf, but popularity fades with age', {
      children: sparse,
      parents: sparse,
      distribution: 'log-normal',
      sizeMegabytes: { mean: 200, deviation: 1.2 },
      seconds: { mean: 150, deviation: 1.2 },
      pick: 'fading',
    }),
    resubmitted('sweep', 'parameter sweeps on chains', { projects: 10, singleTask: 0 }, (_, random) =>
      chain(random, 6 + random.below(9)),
    ),
    resubmitted('diamond', 'edited chains of diamonds', { projects: 8, singleTask: 0 }, (_, random) =>
      diamonds(random, 2 + random.below(2), 2 + random.below(3)),
    ),
    resubmitted('pegasus', 'edited Montage, Epigenomics and CyberShake shapes', {}, pegasusShape),
    instanceFamily('wfinst', 'edited WfCommons instances (parameter instances: paths of WfFormat files)'),
  ].map((family) => [family.name, family]),
);

function pegasusShape(project: number, random: Random): Template {
  if (project % 3 === 0) return montage(random, 8 + random.below(9));
  if (project % 3 === 1) return epigenomics(random, 2 + random.below(2), 4 + random.below(5));
  return cybershake(random, 2 + random.below(2), 8 + random.below(9));
}

function thesisFamily(name: string, summary: string, changes: Partial<ThesisParameters>): Family {
  const defaults = { ...thesisDefaults, ...changes } as unknown as JsonObject;
  return {
    name,
    summary,
    defaults,
    generate: (parameters, seed) =>
      generateThesis(completed(name, defaults, parameters) as unknown as ThesisParameters, seed, name),
  };
}

function resubmitted(
  name: string,
  summary: string,
  changes: Partial<ResubmissionParameters>,
  templateOf: (project: number, random: Random) => Template,
): Family {
  const defaults = { ...resubmissionDefaults, ...changes } as unknown as JsonObject;
  return {
    name,
    summary,
    defaults,
    generate: (parameters, seed) => {
      const all = completed(name, defaults, parameters);
      return generateResubmissions(all as unknown as ResubmissionParameters, seed, name, all, templateOf);
    },
  };
}

function instanceFamily(name: string, summary: string): Family {
  const defaults = { ...resubmissionDefaults, instances: [] } as unknown as JsonObject;
  return {
    name,
    summary,
    defaults,
    generate: (parameters, seed) => {
      const all = completed(name, defaults, parameters);
      const templates = (all.instances as readonly string[]).map(readInstanceFile);
      if (templates.length === 0) throw labErrors.LAB_NO_INSTANCES();
      const templateOf = (project: number) => templates[project % templates.length]!;
      return generateResubmissions(all as unknown as ResubmissionParameters, seed, name, all, templateOf);
    },
  };
}

function readInstanceFile(file: string): Template {
  return readWfFormat(readText(file), file);
}

/** Defaults overridden by parameters; an unknown or wrongly typed one is refused. */
function completed(family: string, defaults: JsonObject, parameters: JsonObject): JsonObject {
  for (const [key, value] of Object.entries(parameters)) {
    const expected = defaults[key];
    if (expected === undefined) throw labErrors.LAB_UNKNOWN_PARAMETER(family, key, Object.keys(defaults));
    if (!sameForm(expected, value)) throw labErrors.LAB_BAD_PARAMETER(family, key, JSON.stringify(expected));
  }
  return { ...defaults, ...parameters };
}

function sameForm(expected: Json, value: Json): boolean {
  if (typeof expected === 'number') return typeof value === 'number' && Number.isFinite(value) && value >= 0;
  if (typeof expected !== 'object' || expected === null) return typeof expected === typeof value;
  if (isList(expected)) return isList(value) && value.every((member) => typeof member === 'string');
  const form = expected as JsonObject;
  const given = value as JsonObject;
  return (
    typeof given === 'object' &&
    given !== null &&
    Object.keys(form).every((key) => given[key] !== undefined && sameForm(form[key]!, given[key]!))
  );
}

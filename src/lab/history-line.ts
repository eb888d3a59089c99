// The kinds of lines of a history file and their fields, as a table from which lines are checked and the JSON Schema is made.
import type { Json, JsonObject } from '../core/json.ts';

type FieldForm = 'text' | 'amount' | 'whole' | 'texts' | 'some texts' | 'object';

export interface Field {
  readonly form: FieldForm;
  readonly required: boolean;
  readonly meaning: string;
}

export interface LineForm {
  readonly summary: string;
  /** The field that tells this kind from the others. */
  readonly key: string;
  readonly fields: Readonly<Record<string, Field>>;
}

const field = (form: FieldForm, meaning: string, required = true): Field => ({ form, required, meaning });

export const lineForms = {
  header: {
    summary: 'the header {"format",…}',
    key: 'format',
    fields: {
      format: field('text', 'always `varve-history`'),
      version: field('whole', 'version of the format: 1'),
      origin: field(
        'object',
        'where it comes from: `family`, and for generated ones `seed` and `parameters`',
        false,
      ),
    },
  },
  dataset: {
    summary: 'a dataset {"dataset",…}',
    key: 'dataset',
    fields: {
      dataset: field('text', 'name of the dataset, unique in the file; a site’s history uses signatures'),
      bytes: field('amount', 'size of its files'),
      seconds: field('amount', 'time to compute it from its parents'),
      parents: field(
        'texts',
        'names of datasets described on earlier lines, in the order of the inputs',
        false,
      ),
    },
  },
  run: {
    summary: 'a run {"run",…}',
    key: 'run',
    fields: {
      run: field('whole', 'number or id of the run, for people'),
      results: field(
        'some texts',
        'names of the datasets that were asked for; their ancestors belong to the run',
      ),
      at: field(
        'amount',
        'time of submission in milliseconds; one second after the run before if left out',
        false,
      ),
      workflow: field('text', 'name of the workflow', false),
      user: field('text', 'who submitted it', false),
    },
  },
} as const satisfies Record<string, LineForm>;

/** The kind of line that a value is meant to be. */
export function formOf(value: JsonObject): LineForm | undefined {
  return Object.values<LineForm>(lineForms).find((form) => value[form.key] !== undefined);
}

/** What is wrong with a line of this kind. */
export function problemsOf(form: LineForm, value: JsonObject): string[] {
  const problems: string[] = [];
  for (const [name, { form: fieldForm, required }] of Object.entries(form.fields)) {
    const given = value[name];
    if (given === undefined) {
      if (required) problems.push(`"${name}" is missing`);
    } else if (!checks[fieldForm].test(given)) problems.push(`"${name}" must be ${checks[fieldForm].words}`);
  }
  for (const name of Object.keys(value)) {
    if (!(name in form.fields)) problems.push(`"${name}" is not a field of ${form.summary}`);
  }
  return problems;
}

const isText = (value: Json) => typeof value === 'string' && value !== '';
const isTexts = (value: Json) => Array.isArray(value) && value.every(isText);

const checks: Readonly<Record<FieldForm, { words: string; test(value: Json): boolean; schema: JsonObject }>> =
  {
    text: { words: 'a string', test: isText, schema: { type: 'string', minLength: 1 } },
    amount: {
      words: 'a number of at least 0',
      test: (value) => typeof value === 'number' && Number.isFinite(value) && value >= 0,
      schema: { type: 'number', minimum: 0 },
    },
    whole: {
      words: 'a whole number of at least 0',
      test: (value) => Number.isInteger(value) && (value as number) >= 0,
      schema: { type: 'integer', minimum: 0 },
    },
    texts: {
      words: 'a list of strings',
      test: isTexts,
      schema: { type: 'array', items: { type: 'string', minLength: 1 } },
    },
    'some texts': {
      words: 'a list of at least one string',
      test: (value) => isTexts(value) && (value as readonly Json[]).length > 0,
      schema: { type: 'array', items: { type: 'string', minLength: 1 }, minItems: 1 },
    },
    object: {
      words: 'an object',
      test: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
      schema: { type: 'object' },
    },
  };

/** The JSON Schema of one line. */
export function historyLineSchema(): JsonObject {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'A line of a Varve history file',
    oneOf: Object.values<LineForm>(lineForms).map((form) => ({
      type: 'object',
      description: form.summary,
      required: Object.keys(form.fields).filter((name) => form.fields[name]!.required),
      additionalProperties: false,
      properties: Object.fromEntries(
        Object.entries(form.fields).map(([name, { form: fieldForm, meaning }]) => [
          name,
          { ...checks[fieldForm].schema, description: meaning },
        ]),
      ),
    })),
  };
}

// Random documents of the language that are right in shape, for tests that compare or break them.
import fc from 'fast-check';
import type { Json } from '../../../src/core/json.ts';

const name = fc.constantFrom('a', 'b', 'sample', 'with-dash', 'N1');
const scalar = fc.oneof(
  fc.string({ maxLength: 5 }).filter((text) => !text.includes('\0')),
  fc.integer(),
  fc.boolean(),
);
const duration = fc.constantFrom<Json>(5, 0.5, '10m', '1h30m', '500ms');
const size = fc.constantFrom<Json>(1000, '2GB', '1.5 GiB', '12');
const path = fc.constantFrom('out.txt', 'a/b.csv', '*.txt', 'p/**/*.csv');
const exitCodes = fc.array(fc.integer({ min: 0, max: 255 }), { minLength: 1, maxLength: 3 });

const optional = { requiredKeys: [] as [] };
const resources = fc.record(
  { cores: fc.constantFrom(1, 0.5, 8), memory: size, disk: size, time: duration },
  optional,
);
const retries = fc.oneof(
  fc.integer({ min: 0, max: 5 }),
  fc.record(
    {
      count: fc.integer({ min: 0, max: 5 }),
      delay: duration,
      backoff: fc.constantFrom(1, 2.5),
      maxDelay: duration,
      exitCodes,
    },
    { requiredKeys: ['count'] },
  ),
);
const container = fc.oneof(
  fc.constant('debian:12'),
  fc.record(
    { image: fc.constant('debian'), engine: fc.constantFrom('docker', 'podman', 'apptainer') },
    { requiredKeys: ['image'] },
  ),
);
const given = fc.oneof(scalar, fc.record({ url: fc.constant('https://example.org/x') }));
const input = fc.oneof(
  given,
  fc.array(given, { maxLength: 3 }),
  fc.record(
    {
      from: fc.constant(0),
      output: fc.constant('o'),
      as: fc.constantFrom('text', 'json', 'lines', 'number'),
      optional: fc.boolean(),
    },
    { requiredKeys: ['from'] },
  ),
);
const defaults = {
  resources,
  retries,
  timeout: duration,
  env: fc.dictionary(fc.constantFrom('A', 'LC_ALL', '_x'), scalar, { maxKeys: 2 }),
  container,
  network: fc.boolean(),
  keep: fc.constantFrom('auto', 'always', 'never'),
  priority: fc.integer({ min: -5, max: 5 }),
};
const action = fc.record(
  {
    ...defaults,
    name: fc.constant('some name'),
    description: fc.constant(''),
    type: fc.constant('command-line'),
    command: fc.oneof(fc.constant('echo'), fc.array(scalar, { minLength: 1, maxLength: 3 })),
    parentActions: fc.constantFrom<Json>([], [0], [{ id: 0 }], [{ id: 0, optional: true }]),
    forceComputation: fc.boolean(),
    inputs: fc.dictionary(name, input, { maxKeys: 3 }),
    outputs: fc.dictionary(name, path, { maxKeys: 2 }),
    stdin: fc.constantFrom<Json>('a', { file: 'x' }),
    stdout: fc.constant('log.txt'),
    successCodes: exitCodes,
    when: fc.constantFrom<Json>('inputs.a == 1', true),
    scatter: fc.constantFrom<Json>('a', { over: 'a', as: 'b' }),
    additionalInput: fc.constantFrom<Json>([{ value: 1 }], [{ key: 'k', value: 'v' }]),
  },
  { requiredKeys: ['command'] },
);

/** A document whose shape is right; its references may lead nowhere. */
export const validDocument: fc.Arbitrary<Json> = fc
  .record(
    {
      description: fc.string(),
      startActionId: fc.constantFrom(0, '0'),
      failurePolicy: fc.constantFrom('stop', 'finish-what-is-possible'),
      params: fc.dictionary(name, fc.oneof(given, fc.constant({ type: 'number', default: 1 })), {
        maxKeys: 2,
      }),
      defaults: fc.record(defaults, optional),
      actions: fc
        .array(action, { minLength: 1, maxLength: 3 })
        .map((actions) => actions.map((fields, id) => ({ id, ...fields }))),
      name: fc.constant('random'),
    },
    { requiredKeys: ['name', 'actions'] },
  )
  .map((document) => JSON.parse(JSON.stringify(document)) as Json);

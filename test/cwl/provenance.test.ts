// The RO-Crate of a run, checked by the rules of RO-Crate 1.1 and the MUSTs of the Workflow Run Crate profile.
import assert from 'node:assert/strict';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Home } from '../cli/home.ts';

type Entity = Record<string, unknown> & { '@id': string; '@type': string | string[] };

/** Every rule that the crate in a folder breaks. */
function crateProblems(folder: string): string[] {
  const problems: string[] = [];
  const must = (holds: boolean, rule: string): void => {
    if (!holds) problems.push(rule);
  };
  const crate = JSON.parse(readFileSync(join(folder, 'ro-crate-metadata.json'), 'utf8'));
  must(
    [crate['@context']].flat()[0] === 'https://w3id.org/ro/crate/1.1/context',
    'the context of RO-Crate 1.1',
  );
  const graph = crate['@graph'] as Entity[];
  const byId = new Map(graph.map((entity) => [entity['@id'], entity]));
  must(byId.size === graph.length, 'ids are unique');
  const types = (entity: Entity | undefined): string[] => [entity?.['@type'] ?? []].flat();
  const refs = (value: unknown): string[] => [value ?? []].flat().map((one) => (one as Entity)['@id']);
  const get = (id: string | undefined): Entity | undefined => (id === undefined ? undefined : byId.get(id));

  const descriptor = get('ro-crate-metadata.json');
  must(types(descriptor).includes('CreativeWork'), 'the descriptor is a CreativeWork');
  must(refs(descriptor?.about)[0] === './', 'the descriptor is about the root');
  must(
    refs(descriptor?.conformsTo).includes('https://w3id.org/ro/crate/1.1'),
    'the descriptor conforms to 1.1',
  );
  const root = get('./')!;
  must(types(root).includes('Dataset'), 'the root is a Dataset');
  for (const name of ['name', 'description', 'datePublished', 'license'])
    must(name in root, `the root has ${name}`);
  must(!Number.isNaN(Date.parse(String(root.datePublished))), 'datePublished is a date');

  for (const entity of graph) {
    must(types(entity).length > 0, `${entity['@id']} has a type`);
    for (const [name, value] of Object.entries(entity)) {
      must(!Array.isArray(value) || value.length > 1, `${entity['@id']} ${name}: one value is no list`);
      for (const one of [value].flat()) {
        if (typeof one !== 'object' || one === null) continue;
        const keys = Object.keys(one);
        must(keys.length === 1 && keys[0] === '@id', `${entity['@id']} ${name}: the graph is flat`);
        const id = (one as Entity)['@id'];
        must(/^https?:/.test(id) || byId.has(id), `${entity['@id']} ${name}: ${id} is described`);
      }
    }
    const isData = types(entity).some((type) => type === 'File' || type === 'Dataset');
    if (!isData || entity === root) continue;
    const path = join(folder, decodeURIComponent(entity['@id']));
    must(existsSync(path), `${entity['@id']} exists`);
    must(refs(root.hasPart).includes(entity['@id']), `${entity['@id']} is part of the root`);
    if (typeof entity.contentSize === 'string')
      must(statSync(path).size === Number(entity.contentSize), `${entity['@id']} has its size`);
  }

  for (const profile of ['process', 'workflow'])
    must(
      refs(root.conformsTo).includes(`https://w3id.org/ro/wfrun/${profile}/0.5`),
      `conforms to ${profile}`,
    );
  const workflow = get(refs(root.mainEntity)[0]);
  for (const type of ['File', 'SoftwareSourceCode', 'ComputationalWorkflow'])
    must(types(workflow).includes(type), `the main entity is a ${type}`);
  must(types(get(refs(workflow?.programmingLanguage)[0])).includes('ComputerLanguage'), 'it has a language');
  const action = refs(root.mentions)
    .map(get)
    .find((entity) => types(entity).includes('CreateAction'))!;
  must(action !== undefined, 'the root mentions the action');
  must(refs(action?.instrument)[0] === workflow?.['@id'], 'its instrument is the main entity');
  for (const [side, used] of [
    ['input', action?.object],
    ['output', action?.result],
  ] as const) {
    const parameters = refs(workflow?.[side]);
    for (const id of parameters)
      must(types(get(id)).includes('FormalParameter'), `${id} is a FormalParameter`);
    for (const id of refs(used))
      must(
        refs(get(id)?.exampleOfWork).some((one) => parameters.includes(one)),
        `${id} is of a parameter`,
      );
  }
  return problems;
}

const tool = `cwlVersion: v1.2
class: CommandLineTool
label: Joins files
requirements: {ShellCommandRequirement: {}}
inputs:
  files: {type: 'File[]', secondaryFiles: [.idx?], inputBinding: {position: 1}, doc: what to join}
  note: {type: {type: record, fields: {by: string}}}
  times: {type: int, default: 2}
  folder: Directory
arguments: [{valueFrom: "mkdir -p 'a folder'; touch 'a folder/x'; test $(inputs.note.by) != nobody && cat", shellQuote: false}]
outputs:
  all: stdout
  made: {type: Directory, outputBinding: {glob: a folder}}
stdout: all.txt
`;

const workflow = `cwlVersion: v1.2
class: Workflow
inputs: {files: 'File[]', by: string, folder: Directory}
requirements: {StepInputExpressionRequirement: {}, InlineJavascriptRequirement: {}}
outputs:
  all: {type: File, outputSource: join/all}
  made: {type: Directory, outputSource: join/made}
steps:
  join:
    in: {files: files, by: by, folder: folder, note: {source: by, valueFrom: '$({by: self})'}}
    out: [all, made]
    run: tools/join.cwl
`;

function writeDocuments(home: Home): void {
  home.write('flow/tools/join.cwl', tool);
  home.write('flow/main.cwl', workflow);
  home.write('data/a b.txt', 'a');
  home.write('data/a b.txt.idx', 'index');
  home.write('data/c.txt', 'c');
  home.write('data/folder/inside.txt', 'x');
  const file = (path: string) => ({ class: 'File', path });
  home.write('job.json', {
    files: [file('data/a b.txt'), file('data/c.txt')],
    by: 'me',
    folder: { class: 'Directory', path: 'data/folder' },
  });
}

test('the crate of a workflow holds its documents, inputs and outputs, and keeps every rule', (t) => {
  const home = new Home(t);
  writeDocuments(home);
  const run = home.run('run', 'flow/main.cwl', 'job.json', '--outdir', 'out', '--provenance', 'crate');
  assert.equal(run.status, 0, run.stderr);
  assert.deepEqual(crateProblems(home.path('crate')), []);
  const again = home.run('run', '--quiet', 'crate/workflow/main.cwl', 'job.json', '--outdir', 'again');
  assert.equal(again.status, 0, again.stderr);
  const refused = home.run('run', 'flow/main.cwl', 'job.json', '--outdir', 'out', '--provenance', 'crate');
  assert.equal(refused.status, 5);
  assert.match(refused.stderr, /already holds an RO-Crate/);
});

test('the crate of a single tool describes records, defaults and secondary files', (t) => {
  const home = new Home(t);
  writeDocuments(home);
  const file = (path: string) => ({ class: 'File', path });
  home.write('tool.json', {
    files: [file('data/a b.txt'), file('data/c.txt')],
    note: { by: 'me' },
    folder: { class: 'Directory', path: 'data/folder' },
  });
  const run = home.run('run', 'flow/tools/join.cwl', 'tool.json', '--provenance', 'crate');
  assert.equal(run.status, 0, run.stderr);
  assert.deepEqual(crateProblems(home.path('crate')), []);
  assert.ok(existsSync(home.path('crate/inputs/a b.txt.idx')));
  const { '@graph': graph } = JSON.parse(readFileSync(home.path('crate/ro-crate-metadata.json'), 'utf8'));
  const value = (id: string) => graph.find((entity: Entity) => entity['@id'] === id)?.value;
  assert.equal(value('#input/times/value'), 2);
  assert.equal(value('#input/note/value'), '{"by":"me"}');
});

test('a run that failed is described as such', (t) => {
  const home = new Home(t);
  writeDocuments(home);
  home.write('job.json', { files: [], by: 'nobody', folder: { class: 'Directory', path: 'data/folder' } });
  const run = home.run('run', 'flow/main.cwl', 'job.json', '--provenance', 'crate');
  assert.equal(run.status, 1);
  assert.deepEqual(crateProblems(home.path('crate')), []);
  const { '@graph': graph } = JSON.parse(readFileSync(home.path('crate/ro-crate-metadata.json'), 'utf8'));
  const action = graph.find((entity: Entity) => entity['@type'] === 'CreateAction');
  assert.equal(action.actionStatus, 'http://schema.org/FailedActionStatus');
  assert.match(action.error, /join/);
});

test('the checks find a crate that breaks the rules', (t) => {
  const home = new Home(t);
  home.write('crate/ro-crate-metadata.json', {
    '@context': 'https://w3id.org/ro/crate/1.1/context',
    '@graph': [
      { '@id': 'ro-crate-metadata.json', '@type': 'CreativeWork', about: { '@id': './' } },
      { '@id': './', '@type': 'Dataset', hasPart: [{ '@id': 'gone.txt' }] },
      { '@id': 'other.txt', '@type': 'File' },
    ],
  });
  const problems = crateProblems(home.path('crate'));
  for (const rule of ['the root has license', './ hasPart: gone.txt is described', 'other.txt exists'])
    assert.ok(problems.includes(rule), rule);
});

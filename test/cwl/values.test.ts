import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { Evaluator } from '../../src/languages/cwl/expressions/evaluator.ts';
import { fits, linkedType } from '../../src/languages/cwl/load/type-fit.ts';
import { type CwlType, describeType, unionOf } from '../../src/languages/cwl/model/cwl-type.ts';
import { noRequirements } from '../../src/languages/cwl/model/requirement.ts';
import { checkValue } from '../../src/languages/cwl/values/check-value.ts';
import { applyPattern, splitName } from '../../src/languages/cwl/values/file-object.ts';
import { Ontology } from '../../src/languages/cwl/values/ontology.ts';
import { prepareJob } from '../../src/languages/cwl/values/prepare-job.ts';
import { failure, load, writeFiles } from './documents.ts';

const array = (items: CwlType): CwlType => ({ type: 'array', items });
const optional = (type: CwlType): CwlType => unionOf(['null', type]);
const rules = {
  evaluator: new Evaluator({ version: 'v1.2' }, undefined),
  requirements: noRequirements,
  discover: true,
};

test('types fit always, sometimes or never', () => {
  const cases: [CwlType, CwlType, string][] = [
    ['int', 'int', 'always'],
    ['int', 'double', 'always'],
    ['double', 'int', 'sometimes'],
    ['string', 'File', 'never'],
    ['Any', 'File', 'always'],
    [optional('File'), 'File', 'sometimes'],
    [optional('File'), optional('File'), 'always'],
    ['null', 'File', 'never'],
    [array('int'), array('long'), 'always'],
    [array('int'), 'int', 'never'],
    [{ type: 'enum', symbols: ['a'] }, 'string', 'always'],
    ['string', { type: 'enum', symbols: ['a'] }, 'sometimes'],
    [{ type: 'enum', symbols: ['a'] }, { type: 'enum', symbols: ['b'] }, 'never'],
    [
      { type: 'record', fields: [{ name: 'a', type: 'int' }] },
      {
        type: 'record',
        fields: [
          { name: 'a', type: 'int' },
          { name: 'b', type: 'string' },
        ],
      },
      'never',
    ],
  ];
  for (const [source, sink, wanted] of cases)
    assert.equal(fits(source, sink), wanted, `${describeType(source)} to ${describeType(sink)}`);
});

test('merging and picking change the type of a link', () => {
  assert.equal(describeType(linkedType({}, ['int'])), 'int');
  assert.equal(describeType(linkedType({}, ['int', 'string'])), '(int | string)[]');
  assert.equal(describeType(linkedType({ linkMerge: 'merge_flattened' }, [array('int'), 'int'])), 'int[]');
  assert.equal(describeType(linkedType({ linkMerge: 'merge_nested' }, ['int'])), 'int[]');
  assert.equal(describeType(linkedType({ pickValue: 'first_non_null' }, [optional('File'), 'null'])), 'File');
  assert.equal(describeType(linkedType({ pickValue: 'all_non_null' }, [optional('File'), 'null'])), 'File[]');
});

test('a value that is not of its type is answered with the part that is wrong', () => {
  const pair: CwlType = {
    type: 'record',
    fields: [
      { name: 'n', type: array('int') },
      { name: 's', type: optional('string') },
    ],
  };
  assert.equal(checkValue({ n: [1, 2] }, pair), undefined);
  assert.deepEqual(checkValue({ n: [1, 'x'] }, pair), { path: '.n[1]', wanted: 'int', found: '"x"' });
  assert.deepEqual(checkValue(2 ** 31, 'int'), { path: '', wanted: 'int', found: '2147483648' });
  assert.equal(checkValue(2 ** 31, 'long'), undefined);
  assert.equal(checkValue(null, 'Any')?.wanted, 'Any');
  assert.equal(checkValue('x', unionOf(['int', array('string')]))?.wanted, 'int | string[]');
});

test('names are split and patterns applied as the standard says', () => {
  assert.deepEqual(splitName('a.tar.gz'), { nameroot: 'a.tar', nameext: '.gz' });
  assert.deepEqual(splitName('.hidden'), { nameroot: '.hidden', nameext: '' });
  assert.equal(applyPattern('a.bam', '.bai'), 'a.bam.bai');
  assert.equal(applyPattern('a.bam', '^.bai'), 'a.bai');
  assert.equal(applyPattern('a.tar.gz', '^^.txt'), 'a.txt');
});

const withFiles = {
  'r.fa': 'acgt',
  'r.fa.fai': 'x',
  'd/one': '1',
  'd/sub/two': '22',
  'big.txt': 'x'.repeat(70_000),
};

test('the job gets names, sizes, secondary files, contents and listings', async () => {
  const folder = await writeFiles(withFiles);
  const url = (name: string) => pathToFileURL(`${folder}/${name}`).href;
  const { process } = await load(`cwlVersion: v1.2
class: CommandLineTool
inputs:
  ref: {type: File, secondaryFiles: [.fai, .dict?], loadContents: true}
  dir: {type: Directory, loadListing: shallow_listing}
  plain: Directory
  number: {type: int?, default: 7}
outputs: []
`);
  const job = await prepareJob(
    process,
    {
      ref: { class: 'File', location: url('r.fa') },
      dir: { class: 'Directory', location: url('d') },
      plain: { class: 'Directory', location: url('d') },
    },
    rules,
  );
  assert.deepEqual(job, {
    ref: {
      class: 'File',
      location: url('r.fa'),
      basename: 'r.fa',
      nameroot: 'r',
      nameext: '.fa',
      size: 4,
      contents: 'acgt',
      secondaryFiles: [
        {
          class: 'File',
          location: url('r.fa.fai'),
          basename: 'r.fa.fai',
          nameroot: 'r.fa',
          nameext: '.fai',
          size: 1,
        },
      ],
    },
    dir: {
      class: 'Directory',
      location: url('d'),
      basename: 'd',
      listing: [
        { class: 'File', location: url('d/one'), basename: 'one', nameroot: 'one', nameext: '', size: 1 },
        { class: 'Directory', location: url('d/sub'), basename: 'sub' },
      ],
    },
    plain: { class: 'Directory', location: url('d'), basename: 'd' },
    number: 7,
  });
});

test('every wrong input is reported, with its place in the input object', async () => {
  const folder = await writeFiles(withFiles);
  const { process } = await load(`cwlVersion: v1.2
class: CommandLineTool
inputs: {a: int, b: string, c: File, d: 'string[]'}
outputs: []
`);
  const place = (name: string) => ({ file: 'job.yml', line: name.charCodeAt(0) - 96, column: 1 });
  const error = await failure(
    prepareJob(
      process,
      { a: 'x', c: { class: 'File', location: pathToFileURL(`${folder}/gone`).href }, d: ['x', 1] },
      { ...rules, placeOfInput: place },
    ),
  );
  assert.deepEqual(
    error.problems.map(({ code, place: at }) => [code, at?.line]),
    [
      ['CWL_INPUT_TYPE', 1],
      ['CWL_INPUT_MISSING', 2],
      ['CWL_FILE_MISSING', 3],
      ['CWL_INPUT_TYPE', 4],
    ],
  );
});

test('loadContents refuses large files since v1.2 and cuts them before', async () => {
  const folder = await writeFiles(withFiles);
  const big = { f: { class: 'File', location: pathToFileURL(`${folder}/big.txt`).href } };
  const document = (version: string) =>
    `cwlVersion: ${version}\nclass: CommandLineTool\ninputs: {f: {type: File, inputBinding: {loadContents: true}}}\noutputs: []\n`;
  assert.equal(
    (await failure(prepareJob((await load(document('v1.2'))).process, big, rules))).code,
    'CWL_CONTENTS_TOO_LONG',
  );
  const old = await prepareJob((await load(document('v1.0'))).process, big, rules);
  assert.equal((old.f as { contents: string }).contents.length, 65_536);
});

test('a missing required secondary file is an error', async () => {
  const folder = await writeFiles({ 'r.fa': '' });
  const { process } = await load(
    'cwlVersion: v1.2\nclass: CommandLineTool\ninputs: {f: {type: File, secondaryFiles: .fai}}\noutputs: []\n',
  );
  const job = { f: { class: 'File', location: pathToFileURL(`${folder}/r.fa`).href } };
  const error = await failure(prepareJob(process, job, rules));
  assert.equal(error.message, 'r.fa has no secondary file r.fa.fai');
});

const owl = `<?xml version="1.0"?>
<!DOCTYPE rdf:RDF [<!ENTITY e "http://e.org/">]>
<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:rdfs="http://www.w3.org/2000/01/rdf-schema#" xmlns:owl="http://www.w3.org/2002/07/owl#">
<owl:Class rdf:about="http://e.org/fasta"><rdfs:label>x</rdfs:label><rdfs:subClassOf rdf:resource="&e;text"/></owl:Class>
<owl:Class rdf:about="http://e.org/text"><rdfs:subClassOf rdf:resource="http://e.org/any"/></owl:Class>
</rdf:RDF>`;
const turtle = `@prefix e: <http://e.org/> .
@prefix owl: <http://www.w3.org/2002/07/owl#> . # words
e:fa a owl:Class ; owl:equivalentClass e:fasta , <http://e.org/fas.ta> ; e:note "a . text; with, all" .
e:odd [ owl:equivalentClass e:any ] .`;

test('formats are compared by the ontologies, in RDF/XML and in Turtle', async () => {
  const ontology = new Ontology();
  ontology.add(owl);
  ontology.add(turtle);
  const is = (format: string, wanted: string) =>
    ontology.isKindOf(`http://e.org/${format}`, `http://e.org/${wanted}`);
  assert.ok(is('fasta', 'any'));
  assert.ok(is('fa', 'text'));
  assert.ok(is('fasta', 'fa'));
  assert.ok(is('fas.ta', 'fasta'));
  assert.ok(!is('text', 'fasta'));
  assert.ok(!is('odd', 'any'));
  const folder = await writeFiles({ 'a.fa': '', 'e.owl': owl });
  const { process } = await load(`cwlVersion: v1.2
class: CommandLineTool
inputs: {f: {type: File, format: e:text}}
outputs: []
$namespaces: {e: "http://e.org/"}
$schemas: ["file://${folder}/e.owl"]
`);
  const file = (format: string) => ({ f: { class: 'File', location: `file://${folder}/a.fa`, format } });
  await prepareJob(process, file('http://e.org/fasta'), rules);
  assert.equal((await failure(prepareJob(process, file('http://e.org/any'), rules))).code, 'CWL_FORMAT');
});

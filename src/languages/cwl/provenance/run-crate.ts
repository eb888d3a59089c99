// The metadata of a Workflow Run RO-Crate: what was run, by whom and when, from what to what. A pure function from facts to JSON-LD.
//   https://www.researchobject.org/workflow-run-crate/profiles/workflow_run_crate/
import type { Json, JsonObject } from '../../../core/json.ts';
import { acceptsNull, alternatives, type CwlType } from '../model/cwl-type.ts';
import type { InputParameter, OutputParameter, Process } from '../model/process.ts';
import type { CwlPath } from '../values/file-object.ts';
import { addValue, CrateGraph, type Reference, reference, withoutSingles } from './crate-values.ts';

export interface CrateFacts {
  readonly process: Process;
  /** The document's file in the crate, perhaps with the name of a process in it. */
  readonly document: string;
  /** Other documents in the crate that it refers to. */
  readonly otherDocuments: readonly string[];
  /** Input and output objects whose files have their paths in the crate as locations. */
  readonly inputs: JsonObject;
  readonly outputs: JsonObject;
  readonly run: {
    readonly id: number;
    readonly name: string;
    readonly userName: string;
    readonly startedAt: number;
    readonly endedAt: number;
    readonly succeeded: boolean;
    readonly error?: string | undefined;
  };
  readonly programVersion: string;
}

const profiles = [
  ['https://w3id.org/ro/wfrun/process/0.5', 'Process Run Crate', '0.5'],
  ['https://w3id.org/ro/wfrun/workflow/0.5', 'Workflow Run Crate', '0.5'],
  ['https://w3id.org/workflowhub/workflow-ro-crate/1.0', 'Workflow RO-Crate', '1.0'],
] as const;
const parameterProfile = 'https://bioschemas.org/profiles/FormalParameter/1.0-RELEASE';
const workflowProfile = 'https://bioschemas.org/profiles/ComputationalWorkflow/1.0-RELEASE';
const documentFormat = 'application/yaml';
const language = 'https://w3id.org/workflowhub/workflow-ro-crate#cwl';

export function runCrate(facts: CrateFacts): JsonObject {
  const { process, run } = facts;
  const graph = new CrateGraph();
  const inputs = process.inputs.map((one) => addParameter(graph, 'input', one, !isOptional(one)));
  const outputs = process.outputs.map((one) => addParameter(graph, 'output', one, !acceptsNull(one.type)));
  const object = addValues(graph, 'input', process.inputs, facts.inputs);
  const result = addValues(graph, 'output', process.outputs, facts.outputs);
  for (const path of facts.otherDocuments)
    graph.add({
      '@id': path,
      '@type': ['File', 'SoftwareSourceCode'],
      name: path,
      encodingFormat: documentFormat,
    });
  const workflow = graph.add({
    '@id': facts.document,
    '@type': ['File', 'SoftwareSourceCode', 'ComputationalWorkflow'],
    name: process.label ?? run.name,
    ...(process.doc === undefined ? {} : { description: process.doc }),
    encodingFormat: documentFormat,
    conformsTo: reference(workflowProfile),
    programmingLanguage: reference(language),
    input: inputs,
    output: outputs,
    ...(facts.otherDocuments.length > 0 ? { hasPart: facts.otherDocuments.map(reference) } : {}),
  });
  const agent = graph.add({ '@id': `#user/${encode(run.userName)}`, '@type': 'Person', name: run.userName });
  const action = graph.add({
    '@id': `#run/${run.id}`,
    '@type': 'CreateAction',
    name: `run ${run.id} of ${run.name}`,
    description: `executed by Varve ${facts.programVersion}`,
    instrument: workflow,
    agent,
    startTime: moment(run.startedAt),
    endTime: moment(run.endedAt),
    actionStatus: `http://schema.org/${run.succeeded ? 'Completed' : 'Failed'}ActionStatus`,
    ...(run.error === undefined ? {} : { error: run.error }),
    object,
    result,
  });
  for (const [id, name, version] of profiles)
    graph.add({ '@id': id, '@type': 'CreativeWork', name, version });
  graph.add({
    '@id': language,
    '@type': 'ComputerLanguage',
    name: 'Common Workflow Language',
    alternateName: 'CWL',
    version: process.cwlVersion,
    identifier: reference(`https://w3id.org/cwl/${process.cwlVersion}/`),
    url: reference('https://www.commonwl.org/'),
  });
  graph.add({
    '@id': '#license',
    '@type': 'CreativeWork',
    name: 'not stated',
    description: 'Whoever publishes this crate says here how its contents may be used.',
  });
  const root = {
    '@id': './',
    '@type': 'Dataset',
    name: `Run of ${run.name}`,
    description: `What run ${run.id} of the CWL document ${run.name} was made of, and what it made.`,
    datePublished: moment(run.endedAt),
    author: agent,
    license: reference('#license'),
    conformsTo: profiles.map(([id]) => reference(id)),
    mainEntity: workflow,
    mentions: [action, ...graph.collections()],
    hasPart: graph.parts(),
  };
  return {
    '@context': ['https://w3id.org/ro/crate/1.1/context', 'https://w3id.org/ro/terms/workflow-run/context'],
    '@graph': [metadataDescriptor, withoutSingles(root), ...graph.list()],
  };
}

/** To the second and with an offset, as validators expect it. */
const moment = (at: number): string => new Date(at).toISOString().replace(/\.\d+Z$/, '+00:00');

const metadataDescriptor = {
  '@id': 'ro-crate-metadata.json',
  '@type': 'CreativeWork',
  about: reference('./'),
  conformsTo: [
    reference('https://w3id.org/ro/crate/1.1'),
    reference('https://w3id.org/workflowhub/workflow-ro-crate/1.0'),
  ],
};

type Side = 'input' | 'output';

function isOptional(input: InputParameter): boolean {
  return input.default !== undefined || acceptsNull(input.type);
}

const parameterId = (side: Side, name: string): string => `#${side}/${encode(name)}`;
const encode = (text: string): string => encodeURIComponent(text);

function addParameter(
  graph: CrateGraph,
  side: Side,
  parameter: InputParameter | OutputParameter,
  required: boolean,
): Reference {
  const { isMany, type } = kindOf(parameter.type);
  return graph.add({
    '@id': parameterId(side, parameter.name),
    '@type': 'FormalParameter',
    name: parameter.name,
    conformsTo: reference(parameterProfile),
    additionalType: type,
    valueRequired: required,
    ...(isMany ? { multipleValues: true } : {}),
    ...(parameter.doc === undefined ? {} : { description: parameter.doc }),
  });
}

const kinds: Readonly<Record<string, string>> = {
  File: 'File',
  Directory: 'Dataset',
  string: 'Text',
  int: 'Integer',
  long: 'Integer',
  float: 'Float',
  double: 'Float',
  boolean: 'Boolean',
};

/** The type in the words of schema.org. */
function kindOf(type: CwlType): { readonly isMany: boolean; readonly type: string } {
  const choice = alternatives(type).find((one) => one !== 'null');
  if (typeof choice === 'string') return { isMany: false, type: kinds[choice] ?? 'PropertyValue' };
  if (choice?.type === 'array') {
    const inner = kindOf(choice.items);
    const isCollection = inner.type === 'File' || inner.type === 'Dataset' || inner.type === 'Collection';
    return { isMany: true, type: isCollection ? 'Collection' : inner.type };
  }
  return { isMany: false, type: choice?.type === 'enum' ? 'Text' : 'PropertyValue' };
}

function addValues(
  graph: CrateGraph,
  side: Side,
  parameters: readonly { readonly name: string }[],
  values: JsonObject,
): Reference[] {
  return parameters.flatMap(({ name }) => {
    const value: Json = values[name] ?? null;
    const id = parameterId(side, name);
    const idOf = (path: CwlPath): string => path.location ?? `${id}/literal`;
    return addValue(value, { graph, parameterId: id, name, idOf }) ?? [];
  });
}

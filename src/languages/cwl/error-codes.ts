// Every failure that the CWL front end can report.
import { defineErrors } from '../../core/errors.ts';

export const cwlErrors = defineErrors({
  CWL_SYNTAX: {
    kind: 'invalid',
    summary: 'A CWL document or input object is not valid YAML or JSON.',
    message: (reason: string) => `cannot read this as YAML or JSON: ${reason}`,
  },
  CWL_INVALID: {
    kind: 'invalid',
    summary: 'A CWL document or input object has several problems; each follows with its own code.',
    message: (count: number) => `${count} problems`,
  },
  CWL_UNSUPPORTED_DOCUMENT: {
    kind: 'unsupported',
    summary: 'A CWL document uses several features that are not available; each follows with its own code.',
    message: (count: number) => `${count} features are not available`,
  },
  CWL_NOT_READABLE: {
    kind: 'invalid',
    summary: 'A document, import, ontology or input object cannot be read.',
    message: (what: string, reason: string) => `cannot read ${what}: ${reason}`,
  },
  CWL_IMPORT_CYCLE: {
    kind: 'invalid',
    summary: 'Documents import or run each other in a circle.',
    message: (chain: string) => `this refers back to itself: ${chain}`,
  },
  CWL_IMPORT_ALONE: {
    kind: 'invalid',
    summary: 'A map with $import has further fields, which would be lost.',
    message: (directive: string, field: string) => `"${field}" cannot stand beside ${directive}`,
  },
  CWL_UNKNOWN_FIELD: {
    kind: 'invalid',
    summary: 'A CWL object has a field that its class does not know.',
    message: (field: string, kind: string) => `${kind} has no field "${field}"`,
  },
  CWL_FIELD_TOO_NEW: {
    kind: 'invalid',
    summary: 'A field or form needs a later cwlVersion than the document declares.',
    message: (what: string, needed: string, declared: string) =>
      `${what} needs cwlVersion ${needed}, but this document is ${declared}`,
  },
  CWL_MISSING_FIELD: {
    kind: 'invalid',
    summary: 'A CWL object lacks a field that its class requires.',
    message: (field: string, kind: string) => `${kind} needs the field "${field}"`,
  },
  CWL_WRONG_VALUE: {
    kind: 'invalid',
    summary: 'The value of a field is of the wrong form.',
    message: (field: string, wanted: string) => `"${field}" must be ${wanted}`,
  },
  CWL_VERSION: {
    kind: 'unsupported',
    summary: 'The cwlVersion is missing or not one of v1.0, v1.1 and v1.2.',
    message: (found: string) => `cwlVersion ${found} is not supported`,
    hint: 'Varve runs v1.0, v1.1 and v1.2; older documents can be converted with cwl-upgrader',
  },
  CWL_NO_PROCESS: {
    kind: 'invalid',
    summary: 'A document does not contain the process that is to be run.',
    message: (what: string) => `there is no process ${what}`,
  },
  CWL_NO_ENTRY: {
    kind: 'invalid',
    summary:
      'A packed document has several processes and none called `main`. Name one behind the document: `packed.cwl#align`.',
    message: (document: string, count: number) =>
      count === 0
        ? `the $graph of ${document} holds no process`
        : `the packed document ${document} holds ${count} processes, none of them called "main"`,
  },
  CWL_DUPLICATE: {
    kind: 'invalid',
    summary: 'Two inputs, outputs, steps or fields have one name.',
    message: (what: string, name: string) => `the ${what} "${name}" is declared twice`,
  },
  CWL_UNKNOWN_TYPE: {
    kind: 'invalid',
    summary: 'A type is neither built in nor declared by SchemaDefRequirement.',
    message: (name: string) => `there is no type "${name}"`,
  },
  CWL_UNKNOWN_REQUIREMENT: {
    kind: 'unsupported',
    summary: 'A process requires a feature that Varve does not know; as a hint it would only be a warning.',
    message: (name: string) => `the requirement ${name} is not supported`,
  },
  CWL_UNKNOWN_HINT: {
    kind: 'unsupported',
    summary: 'A hint is not known and has no effect (a warning).',
    message: (name: string) => `the hint ${name} is not known and has no effect`,
  },
  CWL_FEATURE_NOT_DECLARED: {
    kind: 'invalid',
    summary: 'A feature is used whose requirement the document does not list.',
    message: (what: string, requirement: string) => `${what} needs ${requirement} under requirements`,
  },
  CWL_LINK: {
    kind: 'invalid',
    summary: 'A source, outputSource or scatter names something that does not exist.',
    message: (field: string, name: string) => `${field} names "${name}", which does not exist`,
  },
  CWL_STEP_INPUT: {
    kind: 'invalid',
    summary: 'A step does not connect an input that its process requires.',
    message: (step: string, input: string, type: string) =>
      `step "${step}" gives no value to the required input "${input}" (${type})`,
  },
  CWL_STEP_OUTPUT: {
    kind: 'invalid',
    summary: 'A step lists an output that its process does not have.',
    message: (step: string, output: string) => `the process of step "${step}" has no output "${output}"`,
  },
  CWL_STEP_CYCLE: {
    kind: 'invalid',
    summary: 'Steps of a workflow wait for each other in a circle.',
    message: (chain: string) => `these steps wait for each other: ${chain}`,
  },
  CWL_LINK_TYPE: {
    kind: 'invalid',
    summary: 'A value flows into a parameter whose type can never accept it.',
    message: (source: string, sourceType: string, sink: string, sinkType: string) =>
      `${source} gives ${sourceType}, which ${sink} (${sinkType}) cannot take`,
  },
  CWL_LINK_TYPE_PARTIAL: {
    kind: 'invalid',
    summary: 'Some values of a source will not be accepted by the parameter they flow into (a warning).',
    message: (source: string, sourceType: string, sink: string, sinkType: string) =>
      `${source} may give ${sourceType}, of which ${sink} (${sinkType}) takes only a part`,
  },
  CWL_INPUT_MISSING: {
    kind: 'invalid',
    summary: 'The input object lacks a required input.',
    message: (name: string, type: string) => `the input "${name}" (${type}) is missing`,
  },
  CWL_INPUT_TYPE: {
    kind: 'invalid',
    summary: 'A value of the input object is not of the declared type.',
    message: (name: string, type: string, found: string) =>
      `the input "${name}" must be ${type}, not ${found}`,
  },
  CWL_INPUT_UNKNOWN: {
    kind: 'invalid',
    summary: 'The input object has a field that the process does not declare (a warning).',
    message: (name: string) => `there is no input "${name}"`,
  },
  CWL_FILE_MISSING: {
    kind: 'invalid',
    summary: 'An input file or directory does not exist.',
    message: (what: string, location: string) => `${what} does not exist: ${location}`,
  },
  CWL_FILE_OBJECT: {
    kind: 'invalid',
    summary: 'A File or Directory object is malformed.',
    message: (what: string) => what,
  },
  CWL_SECONDARY_FILE: {
    kind: 'invalid',
    summary: 'A required secondary file is missing, or its pattern gives something unusable.',
    message: (file: string, wanted: string) => `${file} has no secondary file ${wanted}`,
  },
  CWL_FORMAT: {
    kind: 'invalid',
    summary: "An input file's format is not one that the parameter accepts.",
    message: (file: string, format: string, wanted: string) =>
      `${file} has format ${format}, wanted is ${wanted}`,
  },
  CWL_CONTENTS_TOO_LONG: {
    kind: 'invalid',
    summary: '`loadContents` was asked for a file larger than 64 KiB.',
    message: (file: string, size: number) => `${file} has ${size} bytes; loadContents takes at most 65536`,
  },
  CWL_FILE_REFUSED: {
    kind: 'denied',
    summary: 'A document that was sent may only name files by http(s), or those that its receiver offers.',
    message: (location: string) => `the file ${location} may not be read`,
    hint: 'give a File by http(s), or with its contents',
  },
  CWL_REMOTE: {
    kind: 'unavailable',
    summary: 'A remote file cannot be fetched.',
    message: (url: string, reason: string) => `cannot fetch ${url}: ${reason}`,
  },
  CWL_EXPRESSION: {
    kind: 'invalid',
    summary: 'A parameter reference or JavaScript expression fails.',
    message: (expression: string, reason: string) => `the expression ${expression} fails: ${reason}`,
  },
  CWL_EXPRESSION_LIMIT: {
    kind: 'exhausted',
    summary: 'A JavaScript expression used up its time or memory.',
    message: (expression: string, limit: string) => `the expression ${expression} exceeded ${limit}`,
  },
  CWL_RESOURCES: {
    kind: 'invalid',
    summary: 'A ResourceRequirement or ToolTimeLimit gives an impossible value.',
    message: (field: string, reason: string) => `${field}: ${reason}`,
  },
  CWL_STAGING: {
    kind: 'invalid',
    summary: 'Files cannot be laid out as the tool asks (InitialWorkDirRequirement, colliding names).',
    message: (reason: string) => reason,
  },
  CWL_CONTAINER: {
    kind: 'unsupported',
    summary: 'A tool requires a container and no container engine is available.',
    message: (tool: string, image: string) =>
      `${tool} requires the container ${image}, and no container engine is available`,
    hint: 'install podman, docker or apptainer, or choose one with --container',
  },
  CWL_IMAGE: {
    kind: 'unavailable',
    summary: 'A container image can neither be found nor pulled, loaded, imported or built.',
    message: (image: string, reason: string) => `the container image ${image} cannot be had: ${reason}`,
  },
  CWL_OPERATION: {
    kind: 'unsupported',
    summary: 'A step runs an abstract Operation, which has no implementation.',
    message: (name: string) => `${name} is an abstract Operation and cannot be run`,
  },
  CWL_OUTPUT: {
    kind: 'failed',
    summary: 'An output is missing, of the wrong type, or outside the output directory.',
    message: (name: string, reason: string) => `output "${name}": ${reason}`,
  },
  CWL_COLLECTED_DAMAGED: {
    kind: 'unavailable',
    summary:
      'What was noted about the outputs of a tool cannot be read; the attempt does not count and is made again.',
    message: (path: string) => `${path} is damaged, so what the tool wrote cannot be trusted`,
  },
  CWL_EXIT_CODE: {
    kind: 'failed',
    summary: 'A tool ended with an exit code that does not count as success.',
    message: (tool: string, code: number) => `${tool} ended with exit code ${code}`,
  },
  CWL_PICK_VALUE: {
    kind: 'failed',
    summary: 'PickValue found no value, or more than one.',
    message: (name: string, reason: string) => `pickValue of "${name}": ${reason}`,
  },
  CWL_SCATTER: {
    kind: 'invalid',
    summary: 'A step cannot be scattered over the values it gets.',
    message: (step: string, reason: string) => `scatter of ${step}: ${reason}`,
  },
  CWL_CONDITION: {
    kind: 'invalid',
    summary: 'A `when` expression gave something else than true or false.',
    message: (step: string, found: string) => `the condition of ${step} must be true or false, not ${found}`,
  },
  CWL_CRATE_EXISTS: {
    kind: 'conflict',
    summary: 'The folder for the RO-Crate of a run holds one already. Name another folder, or remove it.',
    message: (folder: string) => `${folder} already holds an RO-Crate`,
  },
  CWL_CALL_PROCESS: {
    kind: 'unsupported',
    summary: 'An action calls a CWL document that is not one tool. Run workflows by themselves.',
    message: (process: string, found: string) =>
      `${process} is of class ${found}; an action calls a CommandLineTool or an ExpressionTool`,
  },
  CWL_CALL_INPUT: {
    kind: 'invalid',
    summary: 'An action gives a CWL tool an input that the tool does not have.',
    message: (process: string, name: string) => `${process} has no input "${name}"`,
  },
  CWL_ARGUMENT: {
    kind: 'invalid',
    summary: 'A command line argument for a tool input cannot be understood.',
    message: (reason: string) => reason,
  },
});

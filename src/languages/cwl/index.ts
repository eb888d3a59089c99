// CWL v1.0, v1.1 and v1.2 on Varve's own engine. The layers, from the documents to the engine:
//
//   load/         text → source nodes with places → one normal form of all versions (model/), every problem reported at once
//   expressions/  parameter references, and JavaScript in a sandbox
//   values/       types, File and Directory objects, secondary files, formats, digests; `prepareJob`
//   tool/         a tool and its job → an invocation (pure), staging, collection of outputs, containers
//   engine/       workflows → nodes with identity; the action types that execute them; the output object of a run
//   assist/       what a command line needs: input objects, flags, templates, help, dependencies, staging of outputs
//
// A document is loaded once by whoever submits; the nodes carry everything that a worker needs, as JSON.

export { type InputFlags, parseInputFlags } from './assist/input-flags.ts';
export { emptyJob, type JobDocument, type JobOptions, loadJob } from './assist/job-document.ts';
export { makeTemplate } from './assist/make-template.ts';
export { outputText } from './assist/output-text.ts';
export { type Dependency, printDeps } from './assist/print-deps.ts';
export { loadSentDocument, type SentDocument } from './assist/sent-document.ts';
export { type BringFile, stageOutputs, visibleOutputs } from './assist/stage-outputs.ts';
export { toolHelp } from './assist/tool-help.ts';
export { unknownInputs } from './assist/unknown-inputs.ts';
export { cwlActionTypes } from './engine/action-types.ts';
export { callableTool } from './engine/callable-tool.ts';
export type { DigestFile } from './engine/content-identity.ts';
export { completeInputs, type LowerOptions, lowerCwlWorkflow, outputsKey } from './engine/lower-run.ts';
export { mentionsContainers } from './engine/mentions-containers.ts';
export { runOutputs } from './engine/outputs-action.ts';
export type { ContainerChoice } from './engine/spec.ts';
export type { CwlActionOptions } from './engine/tool-action.ts';
export { cwlErrors } from './error-codes.ts';
export type { FetchText } from './load/document-store.ts';
export { type LoadedDocument, type LoadOptions, loadDocument } from './load/load-document.ts';
export { urlOfArgument, urlOfPath } from './load/uri.ts';
export type { Process } from './model/process.ts';
export { type RunCrateRequest, refuseCrateFolder, writeRunCrate } from './provenance/write-run-crate.ts';
export type { ContainerRun } from './tool/container.ts';
export { type ImagePlan, planImage } from './tool/container-image.ts';
export { imagePreparer } from './tool/prepare-image.ts';
export { filesIn, mapFiles } from './values/locations.ts';
export type { FetchFile } from './values/remote-files.ts';

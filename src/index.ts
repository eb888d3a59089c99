// The library: what `import … from 'varve'` gives.

export { runResults } from './composition/run-results.ts';
export type { Config } from './config/config-keys.ts';
export { type ConfigFlags, loadConfig } from './config/load-config.ts';
export { type ErrorKind, errorKinds, formatError, type SourcePlace, VarveError } from './core/errors.ts';
export { rankCandidates, takeUntilFree } from './core/eviction/candidates.ts';
export { recomputeSeconds } from './core/eviction/recompute-cost.ts';
export type { Json, JsonObject } from './core/json.ts';
export {
  type Choice,
  type DecisionAlgorithm,
  type DecisionFacts,
  datasetMarks,
  type HistoryEvent,
  type KnownDatasets,
} from './core/ports/decision-algorithm.ts';
export type { NodeDefinition, WorkflowDefinition } from './core/workflow.ts';
export { type Explanation, explainRun } from './engine/explain-run.ts';
export {
  type CommandOptions,
  command,
  type Step,
  type StepInput,
  type WorkflowOptions,
  workflow,
} from './languages/varve/builder.ts';
export type { WorkflowDocument } from './languages/varve/document.ts';
export {
  type LoadWorkflowOptions,
  type OpenOptions,
  open,
  openVarve,
  type SubmitOptions,
  type Varve,
  type WaitOptions,
} from './varve.ts';
export { version } from './version.ts';

// Every state machine, for the schema's constraints, the generated diagrams and the contract suite.
import { actionMachine } from './action.ts';
import { attemptMachine } from './attempt.ts';
import { datasetMachine } from './dataset.ts';
import { eventMachine } from './event.ts';
import type { Machine } from './machine.ts';
import { runMachine } from './run.ts';
import { scheduleMachine } from './schedule.ts';
import { workerMachine } from './worker.ts';

export const machines = {
  run: runMachine,
  action: actionMachine,
  attempt: attemptMachine,
  dataset: datasetMachine,
  worker: workerMachine,
  schedule: scheduleMachine,
  event: eventMachine,
} as const;

export type MachineName = keyof typeof machines;
export const allMachines: readonly Machine[] = Object.values(machines) as unknown as Machine[];

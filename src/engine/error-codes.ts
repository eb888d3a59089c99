// What can go wrong while workflows are planned and run.
import { defineErrors } from '../core/errors.ts';

export const engineErrors = defineErrors({
  RUN_NOT_FOUND: {
    kind: 'missing',
    summary: 'There is no run with this id. `varve runs` lists them.',
    message: (id: string | number) => `there is no run ${id}`,
    hint: 'list runs with `varve runs`',
  },
  ACTION_NOT_FOUND: {
    kind: 'missing',
    summary: 'The run has no action with this id.',
    message: (run: number, key: string) => `run ${run} has no action "${key}"`,
  },
  ACTION_UNKNOWN: {
    kind: 'missing',
    summary: 'There is no action with this number.',
    message: (id: number) => `there is no action ${id}`,
  },
  DATASET_NOT_FOUND: {
    kind: 'missing',
    summary: 'No dataset has this signature (a unique prefix is enough). `varve datasets ls` lists them.',
    message: (id: string) => `there is no dataset ${id}`,
    hint: 'list datasets with `varve datasets ls`',
  },
  DATASET_AMBIGUOUS: {
    kind: 'invalid',
    summary: 'The signature prefix fits several datasets. Give more characters.',
    message: (prefix: string, count: number) => `${count} datasets begin with ${prefix}`,
    hint: 'give more characters of the signature',
  },
  DATASET_CLAIMED: {
    kind: 'conflict',
    summary: 'The dataset cannot be deleted while a live run, a pin or a download holds it.',
    message: (signature: string, holders: string) =>
      `dataset ${signature.slice(0, 12)} is held by ${holders}`,
    hint: 'wait for the run, or unpin it first',
  },
  DATASET_NOT_STORED: {
    kind: 'conflict',
    summary:
      'The operation needs the files of the dataset, which are not there. `varve datasets restore` recomputes them.',
    message: (signature: string, state: string) => `dataset ${signature.slice(0, 12)} is ${state}`,
    hint: 'recompute it with `varve datasets restore`',
  },
  DATASET_NO_RESULT: {
    kind: 'conflict',
    summary: 'Only a result of a run (state LEAF) can be let go of as a result.',
    message: (signature: string, state: string) =>
      `dataset ${signature.slice(0, 12)} is no result: it is ${state}`,
  },
  RUN_COMPACTED: {
    kind: 'missing',
    summary:
      'The run ended longer ago than `history.retention`: what is known of its single actions was compacted. Its results and datasets are still there.',
    message: (id: number, at: number) =>
      `the details of run ${id} were compacted on ${new Date(at).toISOString().slice(0, 10)}`,
    hint: 'submit the workflow again; what is stored is reused',
  },
  DECISIONS_BUSY: {
    kind: 'unavailable',
    summary: 'Another process is just deciding or compacting. Try again in a moment.',
    message: () => 'another process is just deciding what to give up',
    hint: 'try again in a moment',
  },
  NO_DECIDER: {
    kind: 'unsupported',
    summary: 'The program was put together without decision algorithms.',
    message: () => 'no decision algorithm is available here',
  },
  RULE_NOT_FOUND: {
    kind: 'missing',
    summary: 'There is no rule with this number. `varve rules ls` lists them.',
    message: (id: number) => `there is no rule ${id}`,
    hint: 'list rules with `varve rules ls`',
  },
  RULE_SENSELESS: {
    kind: 'invalid',
    summary: 'A rule must name what it is about, and its bounds must leave something.',
    message: (why: string) => `the rule makes no sense: ${why}`,
  },
  ACTION_FAILED: {
    kind: 'failed',
    summary: 'The command of an action ended with an error. `varve logs` shows what it wrote.',
    message: (key: string, what: string) => `action ${key} failed: ${what}`,
  },
  ACTION_TIMED_OUT: {
    kind: 'timeout',
    summary: 'The action ran longer than its `timeout` and was stopped.',
    message: (key: string, ms: number) => `action ${key} ran longer than ${ms / 1000} s`,
  },
  ACTION_LOST: {
    kind: 'unavailable',
    summary: 'The back-end lost the process of the attempt, for example because the machine restarted.',
    message: (key: string, why: string) => `the attempt of action ${key} was lost: ${why}`,
  },
  ACTION_TYPE_UNAVAILABLE: {
    kind: 'unsupported',
    summary: 'No language front end of this program knows the action type.',
    message: (type: string) => `the action type "${type}" is not available here`,
  },
  OUTPUT_NOT_STORED: {
    kind: 'failed',
    summary: 'The outputs of an action could not be stored.',
    message: (key: string, why: string) => `the output of action ${key} could not be stored: ${why}`,
  },
  RUN_ENDED: {
    kind: 'conflict',
    summary: 'The run has ended already.',
    message: (id: number, state: string) => `run ${id} is ${state}`,
  },
  RUN_NOT_ENDED: {
    kind: 'conflict',
    summary: 'The operation needs a run that has ended.',
    message: (id: number) => `run ${id} is still running`,
    hint: 'cancel it with `varve cancel`, or wait',
  },
  RESTORE_IMPOSSIBLE: {
    kind: 'failed',
    summary: 'A deleted dataset could not be recomputed from its provenance.',
    message: (signature: string, why: string) =>
      `dataset ${signature.slice(0, 12)} cannot be restored: ${why}`,
  },
  WORKER_NOT_FOUND: {
    kind: 'missing',
    summary: 'No process with this name or number takes part; `varve workers` lists those that do.',
    message: (name: string) => `there is no worker ${name}`,
  },
  WORKER_AMBIGUOUS: {
    kind: 'invalid',
    summary: 'Several processes have names with this beginning.',
    message: (name: string, names: string) => `"${name}" may be ${names}`,
  },
});

// What can go wrong when a history is run for real.
import { defineErrors } from '../../core/errors.ts';

export const laboratoryErrors = defineErrors({
  LAB_RUN_FAILED: {
    kind: 'failed',
    summary: 'A run of a history that was submitted for real did not succeed; its log says why.',
    message: (run: number, state: string) => `run ${run} of the history is ${state}`,
  },
  LAB_RUN_STOPPED: {
    kind: 'cancelled',
    summary: 'The real execution of a history was stopped before its end.',
    message: () => 'the execution of the history was stopped',
  },
});

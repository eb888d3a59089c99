// What can go wrong when a history is run for real.
import { defineErrors } from '../../core/errors.ts';

export const laboratoryErrors = defineErrors({
  LAB_RUN_FAILED: {
    kind: 'failed',
    summary: 'A run of a history that was submitted for real did not succeed; its log says why.',
    message: (run: number, state: string) => `run ${run} of the history is ${state}`,
  },
  LAB_NO_HISTORY: {
    kind: 'missing',
    summary: 'No run has ended at this site yet, so that there is no history to replay.',
    message: () => 'no run has ended here yet',
    hint: 'name a history file, or run something first',
  },
  LAB_RUN_STOPPED: {
    kind: 'cancelled',
    summary: 'The real execution of a history was stopped before its end.',
    message: () => 'the execution of the history was stopped',
  },
});

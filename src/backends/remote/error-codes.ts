// Errors of jobs on workers that are reached over the network.
import { defineErrors } from '../../core/errors.ts';

export const remoteErrors = defineErrors({
  REMOTE_JOB_DUPLICATE: {
    kind: 'conflict',
    summary:
      'A job was handed over under a key that was used or fenced before. It is looked up instead, and never runs twice.',
    message: (key: string) => `there is a remote job ${key} already`,
  },
});

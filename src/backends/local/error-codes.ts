// What can go wrong with the local back-end itself; what happens to a job is an outcome, not an error.
import { defineErrors } from '../../core/errors.ts';

export const localErrors = defineErrors({
  LOCAL_COMPILE_FAILED: {
    kind: 'unsupported',
    summary:
      'The launcher of local processes could not be compiled; install a C compiler, or choose the launcher `sh`.',
    message: (compiler: string, reason: string) =>
      `cannot compile the launcher of local processes with ${compiler}: ${reason}`,
    hint: 'install a C compiler (Debian: apt-get install gcc libc6-dev), or set the launcher to sh',
  },
  LOCAL_LAUNCHER_FAILED: {
    kind: 'unavailable',
    summary: 'The helper process that starts local jobs did not start or keeps dying.',
    message: (program: string, reason: string) =>
      `cannot start local processes through ${program}: ${reason}`,
  },
  LOCAL_SANDBOX_MISSING: {
    kind: 'unsupported',
    summary:
      'The setting execution.sandbox is `required`, and actions cannot be confined on this machine; install bubblewrap, or choose `on` or `off`.',
    message: (reason: string) => `actions cannot be confined, as execution.sandbox requires: ${reason}`,
  },
  LOCAL_JOURNAL_FAILED: {
    kind: 'unavailable',
    summary:
      'The control file of an attempt can be neither read nor written, so it is not known whether its job runs.',
    message: (key: string, reason: string) => `cannot find out about job ${key}: ${reason}`,
  },
  LOCAL_JOB_INVALID: {
    kind: 'invalid',
    summary:
      'A job cannot be expressed to the operating system, for instance because an argument contains NUL.',
    message: (key: string, problem: string) => `job ${JSON.stringify(key)} cannot be started: ${problem}`,
  },
  LOCAL_JOB_DUPLICATE: {
    kind: 'bug',
    summary: 'The same attempt was submitted twice to one back-end.',
    message: (key: string) => `job ${key} was submitted twice`,
  },
});

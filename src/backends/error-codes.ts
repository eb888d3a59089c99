// Errors that any back-end may raise.
import { defineErrors } from '../core/errors.ts';

export const backendErrors = defineErrors({
  BACKEND_UNAVAILABLE: {
    kind: 'unavailable',
    summary:
      'A back-end did not answer when a job was handed to it; the engine asks it for the job before it tries again.',
    message: (backend: string, reason: string) => `back-end ${backend} is not available: ${reason}`,
  },
});

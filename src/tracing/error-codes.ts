// What can go wrong with traces. Work never waits for them nor fails with them.
import { defineErrors } from '../core/errors.ts';

export const tracingErrors = defineErrors({
  TRACES_HEADERS: {
    kind: 'invalid',
    summary: 'The key tracing.headers is no list of headers.',
    message: () => 'tracing.headers is not of the form name=value,name=value',
    hint: 'write a comma or a "=" within a value as %2C or %3D',
  },
  TRACES_REFUSED: {
    kind: 'unavailable',
    summary: 'The collector at tracing.endpoint does not take traces.',
    message: (url: string, why: string) => `${url} does not take traces: ${why}`,
    hint: 'traces are dropped meanwhile, everything else goes on; check tracing.endpoint and tracing.headers',
  },
});

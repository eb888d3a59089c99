// Are the configured decision algorithms there? They are only looked for, not run: `varve lab check` does that.
import { formatError, VarveError } from '../../core/errors.ts';
import { resolveAlgorithm } from '../../decisions/load-plugin.ts';
import type { Finding } from './finding.ts';

/** One finding for the algorithm and its fallback; without the first the fallback decides, so nothing stands still. */
export function checkAlgorithms(algorithm: string, fallback: string, home: string): Finding {
  const subject = 'decisions';
  try {
    for (const name of [algorithm, fallback]) resolveAlgorithm(name, home);
  } catch (error) {
    if (!(error instanceof VarveError)) throw error;
    return { subject, level: 'warning', detail: formatError(error) };
  }
  return { subject, level: 'ok', detail: `${algorithm}; ${fallback} if it fails` };
}

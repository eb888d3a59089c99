// What the user types to start this program: `varve`, or `npx varve` where npx started it and nothing else may be on the path.
import { type Environment, variable } from '../config/environment.ts';

/** The words with which the user started this program. */
export function ownName(environment: Environment): string {
  return variable(environment, 'npm_command') === 'exec' ? 'npx varve' : 'varve';
}

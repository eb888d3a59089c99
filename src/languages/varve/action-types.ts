// What the Varve workflow language brings to the engine.
import type { ActionType } from '../../core/ports/action-type.ts';
import { commandLineAction } from './command-line.ts';
import type { ContainerOptions } from './container-job.ts';
import { expandAction } from './expand.ts';

/** The action types of the language, to be registered by the composition root. */
export function varveActionTypes(options: ContainerOptions = {}): readonly ActionType[] {
  return [commandLineAction(options), expandAction()];
}

// What the CWL front end brings to the engine.
import type { ActionType } from '../../../core/ports/action-type.ts';
import { expressionAction } from './expression-action.ts';
import { outputsAction, templateAction } from './outputs-action.ts';
import { stepAction } from './step-action.ts';
import { type CwlActionOptions, toolAction } from './tool-action.ts';

/** The action types of the language, to be registered by the composition root. */
export function cwlActionTypes(options: CwlActionOptions = {}): readonly ActionType[] {
  return [
    toolAction(options),
    expressionAction(options),
    stepAction(options),
    templateAction(),
    outputsAction(),
  ];
}

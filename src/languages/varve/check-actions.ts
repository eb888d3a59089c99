// The shape of a document: the workflow's own fields, then every action by its type: commands by the field table, types
// without back-end only as far as they are named.
import { isList, isObject, type Json, type JsonObject } from '../../core/json.ts';
import { checkFields, checkShape } from './check-shape.ts';
import { languageErrors } from './error-codes.ts';
import type { FieldTable } from './field-shape.ts';
import { actionFields, actionTypes, callFields, workflowFields } from './field-table.ts';
import { isCall } from './lower-call.ts';
import type { CheckedAction } from './lowering-context.ts';
import { hintFromNames } from './nearest-name.ts';
import type { DocumentPath, Problems } from './problems.ts';

const actionsPath: DocumentPath = { parent: undefined, key: 'actions' };

export function actionPath(index: number): DocumentPath {
  return { parent: actionsPath, key: index };
}

export interface CheckedShape {
  /** Whether everything but the actions is right. */
  readonly workflowRight: boolean;
  /** The actions in place; undefined for those with problems. */
  readonly actions: readonly (CheckedAction | undefined)[];
}

const workflowShell: FieldTable = {
  ...workflowFields,
  actions: { ...workflowFields.actions, shape: { is: 'list', of: { is: 'any' } } },
};

/** Notes everything that is wrong with the shape of a document. */
export function checkDocumentShape(root: JsonObject, problems: Problems): CheckedShape {
  const workflowRight = checkFields(workflowShell, root, undefined, problems);
  return { workflowRight, actions: isList(root.actions) ? checkActions(root.actions, problems) : [] };
}

/** The actions whose shape is right, in place; undefined for the others, whose problems are noted. */
function checkActions(actions: readonly Json[], problems: Problems): (CheckedAction | undefined)[] {
  return actions.map((action, index) => {
    const path = actionPath(index);
    if (!isObject(action)) {
      checkShape({ is: 'object', what: 'an action', fields: actionFields }, action, path, problems);
      return undefined;
    }
    if (noteUnavailableType(action, path, problems)) return undefined;
    const fields: FieldTable = isCall(action) ? callFields : actionFields;
    return checkFields(fields, action, path, problems) ? (action as CheckedAction) : undefined;
  });
}

/** Known types without back-end have fields of their own, which nobody here can check. */
function noteUnavailableType(action: JsonObject, path: DocumentPath, problems: Problems): boolean {
  const type = action.type === undefined ? 'command-line' : action.type;
  if (typeof type !== 'string') return false;
  if (!Object.hasOwn(actionTypes, type)) {
    const hint = hintFromNames(type, Object.keys(actionTypes), 'action types');
    problems.add({ parent: path, key: 'type' }, 'value', (place) =>
      languageErrors.ACTION_TYPE_UNKNOWN.with({ place, hint }, problems.where(path), type),
    );
    return true;
  }
  const javaMain = action.mainClassName !== undefined && action.command === undefined;
  if (actionTypes[type as keyof typeof actionTypes].available && !javaMain) return false;
  problems.add({ parent: path, key: javaMain ? 'mainClassName' : 'type' }, 'value', (place) =>
    languageErrors.ACTION_TYPE_UNSUPPORTED.with(
      { place },
      problems.where(path),
      javaMain ? 'command-line with mainClassName' : type,
    ),
  );
  return true;
}

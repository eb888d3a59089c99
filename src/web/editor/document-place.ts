// Where in a document the cursor is, found from the text before it alone, so that it works while the document is incomplete.

export interface Place {
  /** The fields and places in lists around the cursor; for a value also its own field. */
  readonly path: readonly (string | number)[];
  /** Whether a value is to be written here, not the name of a field. */
  readonly value: boolean;
  readonly json: boolean;
}

export function placeAt(text: string, offset: number): Place | undefined {
  const before = text.slice(0, offset);
  return text.trimStart().startsWith('{') ? inJson(before) : inYaml(before);
}

interface Level {
  readonly list: boolean;
  step: string | number;
}

function inJson(before: string): Place | undefined {
  const levels: Level[] = [];
  let value = false;
  let word = '';
  for (const match of before.matchAll(/"((?:[^"\\]|\\.)*)"?|[{}[\]:,]/g)) {
    const [token] = match;
    const level = levels.at(-1);
    if (token.startsWith('"')) word = match[1] ?? '';
    else if (token === ':' && level) {
      level.step = word;
      value = true;
    } else if (token === '{' || token === '[') {
      levels.push({ list: token === '[', step: token === '[' ? 0 : '' });
      value = token === '[';
    } else if (token === '}' || token === ']') {
      levels.pop();
      value = false;
    } else if (token === ',' && level) {
      if (level.list) level.step = (level.step as number) + 1;
      value = level.list;
    }
  }
  if (levels.length === 0) return undefined;
  const path = levels.map(({ step }) => step);
  return { path: value ? path : path.slice(0, -1), value, json: true };
}

/** Block style: the indentation tells what lies in what. Within braces and quotes nothing is offered. */
function inYaml(before: string): Place | undefined {
  const lines = before.split('\n');
  const current = lines.pop() ?? '';
  if (/^[^#'"]*[{[][^}\]]*$/.test(current) || /^\s*#/.test(current)) return undefined;
  const path: (string | number)[] = [];
  const [, lead = '', dashes = '', field] = /^(\s*)((?:- +)*)(?:([\w$.-]+):\s+)?/.exec(current) ?? [];
  let indent = lead.length + dashes.length;
  let listAt = dashes === '' ? -1 : lead.length;
  let position = 0;
  for (let i = lines.length - 1; i >= 0 && (indent > 0 || listAt >= 0); i -= 1) {
    const line = lines[i] as string;
    if (/^\s*(#|$)/.test(line)) continue;
    const [, space = '', dash = '', name] = /^(\s*)((?:- +)*)(?:"?([\w$.-]+)"?:)?/.exec(line) ?? [];
    if (listAt >= 0) {
      if (space.length === listAt && dash !== '') position += 1;
      else if (name !== undefined && (space.length < listAt || (space.length === listAt && dash === ''))) {
        path.unshift(name, position);
        [indent, listAt, position] = [space.length + dash.length, dash === '' ? -1 : space.length, 0];
      }
      continue;
    }
    if (name !== undefined && space.length + dash.length < indent) {
      path.unshift(name);
      indent = space.length + dash.length;
    }
    if (dash !== '' && space.length < indent && space.length + dash.length === indent) listAt = space.length;
  }
  return { path: field === undefined ? path : [...path, field], value: field !== undefined, json: false };
}

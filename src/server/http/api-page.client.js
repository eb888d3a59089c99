// The page at /api: every operation of the OpenAPI document with a form to try it.

const main = document.querySelector('#operations');
const token = document.querySelector('#token');
const find = document.querySelector('#find');
const api = await (await fetch('/api/v1/openapi.json')).json();

/** An element with properties and children; text is never read as markup. */
function element(name, properties = {}, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

function typeText(schema) {
  if (schema.$ref) return typeText(api.components.schemas[schema.$ref.split('/').at(-1)]);
  if (schema.enum) return schema.enum.join(' | ');
  return [schema.type].flat().join(' or ');
}

function field({ name, description, required, schema }) {
  const input = element('input', { name, required, autocomplete: 'off', placeholder: typeText(schema) });
  return element(
    'label',
    {},
    `${name}${required ? ' *' : ''}`,
    input,
    element('small', {}, description ?? ''),
  );
}

/** A body to begin with: the required fields, empty. */
function exampleOf(schema) {
  if (schema.$ref) return exampleOf(api.components.schemas[schema.$ref.split('/').at(-1)]);
  if (schema.anyOf) return exampleOf(schema.anyOf[0]);
  if (schema.enum) return schema.enum[0];
  if (schema.type === 'object') {
    const fields = (schema.required ?? []).map((name) => [name, exampleOf(schema.properties[name])]);
    return Object.fromEntries(fields);
  }
  return { array: [], integer: 0, number: 0, boolean: false, string: '' }[schema.type] ?? null;
}

async function send(path, method, operation, form, output) {
  const values = new FormData(form);
  let address = path;
  const query = new URLSearchParams();
  const headers = token.value === '' ? {} : { authorization: `Bearer ${token.value}` };
  for (const { name, in: where } of operation.parameters) {
    const value = values.get(name);
    if (value === '') continue;
    if (where === 'path')
      address = address.replace(`{${name}}`, value.split('/').map(encodeURIComponent).join('/'));
    else if (where === 'header') headers[name] = value;
    else for (const part of value.split(',')) query.append(name, part);
  }
  const file = form.querySelector('[type=file]')?.files[0];
  const text = values.get('body');
  const body = file ?? text ?? undefined;
  if (body !== undefined) headers['content-type'] = file ? 'application/octet-stream' : 'application/json';
  const request = { method: method.toUpperCase(), headers, body };
  const response = await fetch(`/api/v1${address}${query.size > 0 ? `?${query}` : ''}`, request);
  const type = response.headers.get('content-type') ?? '';
  if (type.startsWith('text/event-stream')) {
    output.textContent = `${response.status}\n`;
    for await (const piece of response.body.pipeThrough(new TextDecoderStream())) output.textContent += piece;
    return;
  }
  const answer = /json|text/.test(type)
    ? await response.text()
    : `${(await response.blob()).size} bytes of ${type}`;
  const shown =
    type.includes('json') && !type.includes('ndjson') ? JSON.stringify(JSON.parse(answer), null, 2) : answer;
  output.textContent = `${response.status} ${response.statusText}\n${shown}`;
}

function operationView(path, method, operation) {
  const output = element('pre', { tabIndex: 0 });
  const content = operation.requestBody?.content ?? {};
  const json = content['application/json'];
  const form = element(
    'form',
    {},
    element('div', {}, operation.description ?? ''),
    ...operation.parameters.map(field),
  );
  if (json) {
    const value = JSON.stringify(exampleOf(json.schema), null, 2);
    form.append(
      element('label', {}, 'body', element('textarea', { name: 'body', value, spellcheck: false })),
    );
  } else if (content['application/octet-stream']) {
    form.append(element('label', {}, 'file', element('input', { type: 'file', required: true })));
  }
  form.append(element('button', {}, 'Send'), output);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    output.textContent = '…';
    send(path, method, operation, form, output).catch((error) => {
      output.textContent = String(error);
    });
  });
  const title = element('code', {}, `${method.toUpperCase()} ${path}`);
  return element('details', {}, element('summary', {}, title, element('span', {}, operation.summary)), form);
}

function show() {
  const word = find.value.toLowerCase();
  main.replaceChildren();
  for (const { name } of api.tags) {
    const views = Object.entries(api.paths).flatMap(([path, item]) =>
      Object.entries(item)
        .filter(([, { tags }]) => tags.includes(name))
        .filter(([, { summary, operationId }]) =>
          `${path} ${summary} ${operationId}`.toLowerCase().includes(word),
        )
        .map(([method, operation]) => operationView(path, method, operation)),
    );
    if (views.length > 0) main.append(element('h2', {}, name), ...views);
  }
}

find.addEventListener('input', show);
show();

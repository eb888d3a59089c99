// Evaluates fields: one reference or expression alone gives its own value, anything else is put together as text.
import { isList, isObject, type Json, type JsonObject } from '../../../core/json.ts';
import { cwlErrors } from '../error-codes.ts';
import type { CwlVersion } from '../model/process.ts';
import { findRequirement, type Requirements } from '../model/requirement.ts';
import { decimalText } from './number-text.ts';
import { isContextReference, lookUp } from './parameter-reference.ts';
import { loadSandbox, type Sandbox } from './sandbox.ts';
import { excerpt, hasExpression, parseTemplate, type Script } from './template.ts';

export interface ExpressionContext {
  readonly inputs: JsonObject;
  readonly self?: Json;
  readonly runtime?: JsonObject;
}

export interface ExpressionRules {
  readonly version: CwlVersion;
  /** The expression library, when JavaScript is allowed. */
  readonly library?: string | undefined;
  /** Contexts are never shared between trust domains. */
  readonly trust?: string | undefined;
}

const jsonTexts = new WeakMap<object, string>();

export class Evaluator {
  private readonly rules: ExpressionRules;
  private readonly sandbox: Sandbox | undefined;

  constructor(rules: ExpressionRules, sandbox: Sandbox | undefined) {
    this.rules = rules;
    this.sandbox = sandbox;
  }

  /** The value of a field; texts without expressions are given back unchanged. */
  evaluate(text: string, context: ExpressionContext, options: { readonly keepSpace?: boolean } = {}): Json {
    if (!hasExpression(text)) return text;
    const template = parseTemplate(options.keepSpace ? text : text.trim(), this.rules.version);
    const [first] = template;
    if (template.length === 1 && first !== undefined && first.kind === 'script')
      return this.run(first, context);
    return template
      .map((part) => (part.kind === 'text' ? part.text : interpolated(this.run(part, context))))
      .join('');
  }

  private run(script: Script, context: ExpressionContext): Json {
    const { library, trust = '' } = this.rules;
    const { inputs, self = null, runtime = {} } = context;
    const { reference } = script;
    if (reference !== undefined && (library === undefined || isContextReference(reference))) {
      const found = lookUp(reference, { inputs, self, runtime }, library !== undefined);
      if ('value' in found) return found.value;
      throw cwlErrors.CWL_EXPRESSION(excerpt(script.source), found.problem);
    }
    if (library === undefined) {
      const hint = 'add InlineJavascriptRequirement to requirements to use JavaScript';
      throw cwlErrors.CWL_EXPRESSION.with({ hint }, excerpt(script.source), 'it is no parameter reference');
    }
    if (this.sandbox === undefined) throw new Error('the JavaScript sandbox was not loaded');
    const variables = { inputs: jsonText(inputs), self: jsonText(self), runtime: jsonText(runtime) };
    return JSON.parse(this.sandbox.run(script, variables, library, trust)) as Json;
  }
}

function jsonText(value: Json): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  let text = jsonTexts.get(value);
  if (text === undefined) jsonTexts.set(value, (text = JSON.stringify(value)));
  return text;
}

/** A value inside a text: strings as they are, everything else as JSON with sorted keys. */
export function interpolated(value: Json): string {
  if (typeof value === 'string') return value;
  return sortedJson(value);
}

function sortedJson(value: Json): string {
  if (typeof value === 'number') return decimalText(value);
  if (isList(value)) return `[${value.map(sortedJson).join(', ')}]`;
  if (!isObject(value)) return JSON.stringify(value);
  const members = Object.keys(value).sort();
  return `{${members.map((key) => `${JSON.stringify(key)}: ${sortedJson(value[key]!)}`).join(', ')}}`;
}

/** An evaluator for a process under the given requirements; loads the sandbox only when some text needs it. */
export async function createEvaluator(
  version: CwlVersion,
  requirements: Requirements,
  texts: readonly Json[],
  trust?: string,
): Promise<Evaluator> {
  const javascript = findRequirement(requirements, 'InlineJavascriptRequirement');
  const library = javascript?.expressionLib.join('\n');
  const needed = javascript !== undefined && texts.some((text) => usesJavascript(text, version));
  return new Evaluator({ version, library, trust }, needed ? await loadSandbox() : undefined);
}

const usage = new WeakMap<object, boolean>();

/** True when a value contains, anywhere, an expression that is more than a reference. */
function usesJavascript(value: Json, version: CwlVersion): boolean {
  if (typeof value === 'string') {
    if (!hasExpression(value)) return false;
    return parseTemplate(value, version).some(
      (part) =>
        part.kind === 'script' && (part.reference === undefined || !isContextReference(part.reference)),
    );
  }
  if (typeof value !== 'object' || value === null) return false;
  let uses = usage.get(value);
  if (uses === undefined) {
    uses = Object.values(value).some((one) => usesJavascript(one as Json, version));
    usage.set(value, uses);
  }
  return uses;
}

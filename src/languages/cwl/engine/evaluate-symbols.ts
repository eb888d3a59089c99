// Turns symbols into values once the outputs of other nodes are known. Expressions of step inputs see all inputs of their step as
// they were before any valueFrom.
import { isList, type Json, type JsonObject } from '../../../core/json.ts';
import { createEvaluator, type Evaluator } from '../expressions/evaluator.ts';
import { noRequirements } from '../model/requirement.ts';
import { isDirectory, isFile, mapPaths } from '../values/file-object.ts';
import { completePath, withContents, withListing } from '../values/local-files.ts';
import { mergeFlat, pickFrom } from './link-operations.ts';
import type { Loads, StepScope, Symbolic } from './symbol.ts';

export interface SymbolSource<R, S> {
  output(reference: R): Json;
  literal(value: Json): Json;
  scope(reference: S): StepScope<R, S>;
}

export class SymbolEvaluator<R, S> {
  private readonly source: SymbolSource<R, S>;
  private readonly trust: string | undefined;
  private readonly scopes = new Map<StepScope<R, S>, Promise<JsonObject>>();

  constructor(source: SymbolSource<R, S>, trust?: string) {
    this.source = source;
    this.trust = trust;
  }

  async evaluate(sym: Symbolic<R, S>): Promise<Json> {
    if ('lit' in sym) return this.source.literal(sym.lit);
    if ('out' in sym) return this.source.output(sym.out);
    if ('list' in sym) return await this.evaluateAll(sym.list);
    if ('flat' in sym) return mergeFlat(await this.evaluateAll(sym.flat));
    if ('pick' in sym) return pickFrom(await this.evaluate(sym.pick.of), sym.pick.how, sym.pick.name);
    if ('or' in sym) return (await this.evaluate(sym.or.of)) ?? this.source.literal(sym.or.default);
    if ('load' in sym) return applyLoads(await this.evaluate(sym.load.of), sym.load.loads);
    return (await this.scopeValues(this.source.scope(sym.in.scope)))[sym.in.name] ?? null;
  }

  async evaluateRecord(symbols: Readonly<Record<string, Symbolic<R, S>>>): Promise<Record<string, Json>> {
    const values: Record<string, Json> = {};
    for (const [name, sym] of Object.entries(symbols)) values[name] = await this.evaluate(sym);
    return values;
  }

  /** The inputs of a step after valueFrom. */
  scopeValues(scope: StepScope<R, S>): Promise<JsonObject> {
    let values = this.scopes.get(scope);
    if (values === undefined) this.scopes.set(scope, (values = this.evaluateScope(scope)));
    return values;
  }

  private async evaluateScope(scope: StepScope<R, S>): Promise<JsonObject> {
    const raw = await this.evaluateRecord(scope.raw);
    const expressions = Object.entries(scope.valueFrom);
    if (expressions.length === 0) return raw;
    const inputs = withNames(raw) as JsonObject;
    const evaluator = await scopeEvaluator(scope, Object.values(scope.valueFrom), this.trust);
    const values: Record<string, Json> = { ...raw };
    for (const [name, expression] of expressions)
      values[name] = evaluator.evaluate(expression, { inputs, self: inputs[name] ?? null });
    return values;
  }

  private async evaluateAll(symbols: readonly Symbolic<R, S>[]): Promise<Json[]> {
    const values: Json[] = [];
    for (const one of symbols) values.push(await this.evaluate(one));
    return values;
  }
}

/** The evaluator of expressions that belong to a workflow step. */
export function scopeEvaluator(
  scope: Pick<StepScope<unknown, unknown>, 'version' | 'javascript'>,
  texts: readonly string[],
  trust: string | undefined,
): Promise<Evaluator> {
  const requirements =
    scope.javascript === undefined
      ? noRequirements
      : { required: { InlineJavascriptRequirement: scope.javascript }, hinted: {} };
  return createEvaluator(scope.version, requirements, [[...texts]], trust);
}

/** Names and sizes, which expressions may ask for. */
export function withNames(value: Json): Json {
  return mapPaths(value, (path) =>
    path.location?.startsWith('file:') || path.location === undefined ? completePath(path) : path,
  );
}

/** Contents and listings of the files of a value. */
export function applyLoads(value: Json, loads: Loads): Json {
  if (isList(value)) return value.map((one) => applyLoads(one, loads));
  if (isFile(value)) return loads.loadContents ? withContents(value, loads.version !== 'v1.2') : value;
  if (isDirectory(value) && loads.loadListing !== undefined) return withListing(value, loads.loadListing);
  return value;
}

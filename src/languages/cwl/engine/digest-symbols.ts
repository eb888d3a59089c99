// Gives every file in the literals of symbols its digest, before they are written into a node.
import type { Json } from '../../../core/json.ts';
import { type DigestFile, withDigests } from './content-identity.ts';
import { mapSymbol, type Scope, type Sym } from './symbol.ts';

export async function digestSymbols(
  symbols: Readonly<Record<string, Sym>>,
  digest: DigestFile,
): Promise<Record<string, Sym>> {
  const literals = new Set<Json>();
  const scopes = new Map<Scope, Scope>();
  const gather = (sym: Sym): void => {
    mapSymbol(sym, {
      literal: (value) => {
        if (typeof value === 'object' && value !== null) literals.add(value);
        return value;
      },
      output: (output) => output,
      scope: (scope) => {
        if (!scopes.has(scope)) {
          scopes.set(scope, scope);
          for (const one of Object.values(scope.raw)) gather(one);
        }
        return scope;
      },
    });
  };
  for (const sym of Object.values(symbols)) gather(sym);
  const digested = new Map<Json, Json>();
  for (const value of literals) digested.set(value, await withDigests(value, digest));
  if ([...digested].every(([before, after]) => before === after)) return symbols;
  const apply = (sym: Sym): Sym =>
    mapSymbol(sym, {
      literal: (value) => digested.get(value) ?? value,
      output: (output) => output,
      scope: (scope) => {
        const known = scopes.get(scope)!;
        if (known !== scope) return known;
        const raw = Object.fromEntries(Object.entries(scope.raw).map(([name, one]) => [name, apply(one)]));
        const made: Scope = { ...scope, raw };
        scopes.set(scope, made);
        return made;
      },
    });
  return Object.fromEntries(Object.entries(symbols).map(([name, sym]) => [name, apply(sym)]));
}

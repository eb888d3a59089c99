// Writes symbols into a node: outputs of other nodes become slots with parent links, files in stored datasets become references to a
// slot, scopes become a table. The same walk gives the node's identity, in which files stand by content.
import type { Json, JsonObject } from '../../../core/json.ts';
import type { ParentLink } from '../../../core/workflow.ts';
import { urlOfPath } from '../load/uri.ts';
import { contentIdentity } from './content-identity.ts';
import { mapLocations, slotLocation } from './file-reference.ts';
import type { SlotOutput, SpecScope, SpecSymbol, SpecValues } from './spec.ts';
import { isLiteral, mapSymbol, type NodeOutput, type Scope, type Sym } from './symbol.ts';

/** A stored dataset whose files may appear in literals, and the node of the run that stands for it. */
export interface Origin {
  readonly path: string;
  readonly node: string;
  readonly position: string;
}

interface Link {
  readonly slot: string;
  signed: boolean;
  optional: boolean;
}

export class SpecWriter {
  private readonly links = new Map<string, Link>();
  private readonly scopes: SpecScope[] = [];
  private readonly scopeIdentities: Json[] = [];
  private readonly scopeIndex = new Map<Scope, number>();
  private readonly origins: readonly { readonly url: string; readonly origin: Origin }[];

  constructor(origins: readonly Origin[]) {
    this.origins = origins.map((origin) => ({ url: `${urlOfPath(origin.path)}/`, origin }));
  }

  get parents(): ParentLink[] {
    return [...this.links].map(([key, { slot, signed, optional }]) => ({
      slot,
      key,
      ...(optional ? { optional } : {}),
      ...(signed ? {} : { signed }),
    }));
  }

  /** The symbols as a spec holds them, and as they enter the identity. Every literal must have its digests. */
  write(symbols: Readonly<Record<string, Sym>>): { spec: SpecValues; identity: JsonObject } {
    const names = Object.keys(symbols).sort();
    const values: Record<string, SpecSymbol> = {};
    for (const name of names) values[name] = this.symbol(symbols[name]!);
    const spec = { values, scopes: this.scopes };
    if (names.every((name) => isLiteral(symbols[name]!))) {
      const job = names.map((name) => [name, contentIdentity((symbols[name] as { lit: Json }).lit)]);
      return { spec, identity: { job: Object.fromEntries(job) as JsonObject } };
    }
    const written = names.map((name) => [name, this.identity(symbols[name]!)]);
    const identity = { symbols: Object.fromEntries(written) as JsonObject, scopes: this.scopeIdentities };
    return { spec, identity };
  }

  symbol(sym: Sym): SpecSymbol {
    return mapSymbol(sym, {
      literal: (value) => this.literal(value),
      output: ({ node, ...rest }) => ({ slot: this.slotOf(node, true), ...rest }),
      scope: (scope) => this.indexOf(scope),
    });
  }

  /** A literal whose files in stored datasets are given by slot. */
  literal(value: Json): Json {
    if (this.origins.length === 0) return value;
    return mapLocations(value, (location) => {
      const found = this.origins.find(({ url }) => location.startsWith(url) || `${location}/` === url);
      if (found === undefined) return location;
      const slot = this.slotOf(found.origin.node, false);
      return slotLocation({
        slot,
        position: found.origin.position,
        inside: location.slice(found.url.length),
      });
    });
  }

  slotOf(node: string, signed: boolean): string {
    let link = this.links.get(node);
    if (link === undefined)
      this.links.set(node, (link = { slot: `s${this.links.size}`, signed, optional: true }));
    link.signed ||= signed;
    return link.slot;
  }

  private identity(sym: Sym): Json {
    const identity = mapSymbol<NodeOutput, Scope, SlotOutput, number>(sym, {
      literal: contentIdentity,
      output: ({ node, ...rest }) => ({ slot: this.slotOf(node, true), ...rest }),
      scope: (scope) => this.indexOf(scope),
    });
    return identity as unknown as Json;
  }

  private indexOf(scope: Scope): number {
    const known = this.scopeIndex.get(scope);
    if (known !== undefined) return known;
    const names = Object.keys(scope.raw).sort();
    const raw: Record<string, SpecSymbol> = {};
    const identities: Record<string, Json> = {};
    for (const name of names) {
      raw[name] = this.symbol(scope.raw[name]!);
      identities[name] = this.identity(scope.raw[name]!);
    }
    const index = this.scopes.length;
    this.scopeIndex.set(scope, index);
    this.scopes.push({ ...scope, raw });
    const { version, valueFrom, javascript } = scope;
    this.scopeIdentities.push({
      raw: identities,
      version,
      valueFrom,
      ...(javascript === undefined ? {} : { lib: javascript.expressionLib }),
    });
    return index;
  }
}

// Named types: what SchemaDefRequirement declares is known by absolute name, and found by the same rules as other identifiers, also
// from processes inside.
import { cwlErrors } from '../error-codes.ts';
import type { CwlType } from '../model/cwl-type.ts';
import type { Problems } from './problems.ts';
import { nameHint } from './problems.ts';
import { placeOf, type SourceMap, type SourceNode, stringAt } from './source-node.ts';
import { expandPrefix, resolveUrl, shortName, withoutFragment } from './uri.ts';

interface NamedType {
  readonly node: SourceMap;
  state: 'declared' | 'open' | 'built';
  type: CwlType;
}

export class TypeScope {
  private readonly own = new Map<string, NamedType>();
  private readonly outer: TypeScope | undefined;
  private readonly problems: Problems;

  constructor(problems: Problems, outer?: TypeScope) {
    this.problems = problems;
    this.outer = outer;
  }

  /** Makes a named schema known, and the named schemas nested in it. */
  declare(node: SourceNode): void {
    if (node.kind === 'list') for (const item of node.items) this.declare(item);
    if (node.kind !== 'map') return;
    const name = stringAt(node, 'name');
    const kind = stringAt(node, 'type')?.replace(/^.*[:#]/, '');
    if (name !== undefined && kind !== undefined && ['record', 'enum', 'array'].includes(kind)) {
      this.own.set(absoluteName(name, node), { node, state: 'declared', type: 'Any' });
    }
    for (const { value } of node.entries.values()) this.declare(value);
  }

  /** The type that a name stands for where `at` uses it; reports an unknown name and a type that contains itself. */
  resolve(name: string, at: SourceNode, build: (node: SourceMap) => CwlType): CwlType {
    const named = this.find(name, at);
    if (named === undefined) {
      const hint = nameHint(name, [...this.names()]);
      this.problems.add(cwlErrors.CWL_UNKNOWN_TYPE.with({ place: placeOf(at), hint }, name));
      return 'Any';
    }
    if (named.state === 'open') {
      const place = placeOf(at);
      this.problems.add(
        cwlErrors.CWL_WRONG_VALUE.with({ place }, name, 'a type that does not contain itself'),
      );
      return 'Any';
    }
    if (named.state === 'declared') {
      named.state = 'open';
      named.type = build(named.node);
      named.state = 'built';
    }
    return named.type;
  }

  private find(name: string, at: SourceNode): NamedType | undefined {
    const absolute = absoluteName(name, at);
    const short = shortName(name);
    for (let scope: TypeScope | undefined = this; scope !== undefined; scope = scope.outer) {
      const exact = scope.own.get(absolute);
      if (exact !== undefined) return exact;
      const similar = [...scope.own].filter(([candidate]) => shortName(candidate) === short);
      if (similar.length === 1) return similar[0]![1];
    }
    return undefined;
  }

  private *names(): Generator<string> {
    for (const name of this.own.keys()) yield shortName(name);
    if (this.outer !== undefined) yield* this.outer.names();
  }
}

function absoluteName(name: string, at: SourceNode): string {
  const expanded = expandPrefix(name, at.source.namespaces);
  if (expanded.includes('#')) return resolveUrl(expanded, at.source.baseUrl);
  return expanded.includes('://') ? expanded : `${withoutFragment(at.source.baseUrl)}#${expanded}`;
}

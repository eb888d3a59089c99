// A small reader of ontologies, for file formats only: which class is a special case of, or the same as, which. It takes
// rdfs:subClassOf and owl:equivalentClass from RDF/XML and from Turtle, and nothing else.

const subClassOf = 'http://www.w3.org/2000/01/rdf-schema#subClassOf';
const equivalentClass = 'http://www.w3.org/2002/07/owl#equivalentClass';

export class Ontology {
  private readonly broader = new Map<string, Set<string>>();

  /** Adds the relations of a document in RDF/XML or Turtle. */
  add(text: string): void {
    const relations = /^\s*(<\?xml|<!DOCTYPE|<!--|<rdf:RDF|<\w+:RDF)/.test(text)
      ? fromXml(text)
      : fromTurtle(text);
    for (const [subject, predicate, object] of relations) {
      if (predicate === subClassOf || predicate === equivalentClass) this.relate(subject, object);
      if (predicate === equivalentClass) this.relate(object, subject);
    }
  }

  /** True when `format` is `wanted`, the same as it, or a special case of it. */
  isKindOf(format: string, wanted: string): boolean {
    const seen = new Set([format]);
    for (const one of seen) {
      if (one === wanted) return true;
      for (const next of this.broader.get(one) ?? []) seen.add(next);
    }
    return false;
  }

  private relate(from: string, to: string): void {
    const known = this.broader.get(from);
    if (known === undefined) this.broader.set(from, new Set([to]));
    else known.add(to);
  }
}

type Relation = readonly [subject: string, predicate: string, object: string];

function* fromXml(text: string): Generator<Relation> {
  const entities = Object.fromEntries(
    [...text.matchAll(/<!ENTITY\s+(\S+)\s+"([^"]*)"/g)].map((one) => [one[1]!, one[2]!]),
  );
  const iri = (value: string) => value.replace(/&(\w+);/g, (whole, name: string) => entities[name] ?? whole);
  const prefixes: Record<string, string> = {};
  for (const [, prefix, value] of text.matchAll(/\sxmlns:([\w.-]+)="([^"]*)"/g))
    prefixes[prefix!] ??= iri(value!);
  const base = iri(/\sxml:base="([^"]*)"/.exec(text)?.[1] ?? '');
  const subjects: (string | undefined)[] = [];
  for (const [tag, closing, name, attributes, empty] of text.matchAll(
    /<(\/?)([\w.-]+:[\w.-]+)((?:\s+[\w:.-]+\s*=\s*(?:"[^"]*"|'[^']*'))*)\s*(\/?)>/g,
  )) {
    if (closing === '/') {
      subjects.pop();
      continue;
    }
    const [prefix, local] = name!.split(':') as [string, string];
    const resource = /\srdf:resource\s*=\s*["']([^"']*)["']/.exec(attributes!)?.[1];
    const about = /\srdf:(?:about|ID)\s*=\s*["']([^"']*)["']/.exec(attributes!)?.[1];
    const subject = subjects.at(-1);
    if (subject !== undefined && resource !== undefined)
      yield [subject, (prefixes[prefix] ?? '') + local, absolute(iri(resource), base)];
    if (empty !== '/' && !tag.endsWith('/>'))
      subjects.push(about === undefined ? undefined : absolute(iri(about), base));
  }
}

function absolute(reference: string, base: string): string {
  return reference.includes(':')
    ? reference
    : base + (reference.startsWith('#') ? reference : `#${reference}`);
}

function* fromTurtle(text: string): Generator<Relation> {
  const prefixes: Record<string, string> = {};
  const tokens = turtleTokens(text);
  const expand = (token: string): string => {
    if (token.startsWith('<')) return token.slice(1, -1);
    if (token === 'a') return 'http://www.w3.org/1999/02/22-rdf-syntax-ns#type';
    const colon = token.indexOf(':');
    return colon < 0
      ? token
      : (prefixes[token.slice(0, colon)] ?? `${token.slice(0, colon)}:`) + token.slice(colon + 1);
  };
  let statement: string[] = [];
  for (const token of tokens) {
    if (token !== '.') {
      statement.push(token);
      continue;
    }
    if (/^@?prefix$/i.test(statement[0] ?? ''))
      prefixes[(statement[1] ?? '').replace(/:$/, '')] = expand(statement[2] ?? '');
    else yield* relationsOf(statement, expand);
    statement = [];
  }
}

/** Texts, comments and brackets of blank nodes are skipped: no relation between named classes is inside them. */
function turtleTokens(text: string): string[] {
  const pattern =
    /"""[\s\S]*?"""(?:@[\w-]+|\^\^\S+)?|"(?:[^"\\\n]|\\.)*"(?:@[\w-]+|\^\^\S+)?|#[^\n]*|<[^>\s]*>|[[\]();,]|\.(?=\s|$)|[^\s;,[\]()"<]+?(?=\.?(?:[\s;,[\]()]|$))/g;
  const tokens: string[] = [];
  let depth = 0;
  for (const [token] of text.matchAll(pattern)) {
    if (token.startsWith('#')) continue;
    if (token === '[' || token === '(') depth += 1;
    else if (token === ']' || token === ')') depth -= 1;
    else if (depth === 0) tokens.push(token);
  }
  return tokens;
}

function* relationsOf(statement: readonly string[], expand: (token: string) => string): Generator<Relation> {
  const subject = expand(statement[0] ?? '');
  let predicate: string | undefined;
  for (const token of statement.slice(1)) {
    if (token === ';') predicate = undefined;
    else if (token === ',') continue;
    else if (predicate === undefined) predicate = expand(token);
    else if (!token.startsWith('"')) yield [subject, predicate, expand(token)];
  }
}

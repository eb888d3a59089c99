// Whether the format of an input file is one that the parameter accepts. Ontologies are read only when formats differ, once per
// process.
import { readFileSync } from 'node:fs';
import { cwlErrors } from '../error-codes.ts';
import type { FetchText } from '../load/document-store.ts';
import { displayName } from '../load/source-node.ts';
import { pathOfUrl } from '../load/uri.ts';
import { Ontology } from './ontology.ts';

export interface FormatDoubt {
  readonly file: string;
  readonly format: string;
  readonly wanted: readonly string[];
}

const ontologies = new Map<string, Promise<Ontology>>();

/** Throws unless the ontologies say that each doubtful format is acceptable. */
export async function settleFormats(
  doubts: readonly FormatDoubt[],
  schemas: readonly string[],
  fetchText?: FetchText,
): Promise<void> {
  for (const { file, format, wanted } of doubts) {
    const ontology = await readOntologies(schemas, fetchText);
    if (wanted.some((one) => ontology.isKindOf(format, one))) continue;
    throw cwlErrors.CWL_FORMAT(file, format || 'no format', wanted.join(' or '));
  }
}

function readOntologies(schemas: readonly string[], fetchText: FetchText | undefined): Promise<Ontology> {
  const key = schemas.join('\n');
  let ontology = ontologies.get(key);
  if (ontology === undefined) {
    ontology = loadAll(schemas, fetchText);
    ontology.catch(() => ontologies.delete(key));
    ontologies.set(key, ontology);
  }
  return ontology;
}

async function loadAll(schemas: readonly string[], fetchText: FetchText | undefined): Promise<Ontology> {
  const ontology = new Ontology();
  for (const url of schemas) {
    const path = pathOfUrl(url);
    try {
      if (path !== undefined) ontology.add(readFileSync(path, 'utf8'));
      else if (fetchText !== undefined) ontology.add(await fetchText(url));
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw cwlErrors.CWL_NOT_READABLE.with({ cause: error }, displayName(url), reason);
    }
  }
  return ontology;
}

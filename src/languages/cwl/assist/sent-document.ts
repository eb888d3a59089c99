// A document that came as text, alone or with others that it refers to: they are looked up among themselves, no document of this machine
// is read, and files only where the receiver allows it.
import { isList, isObject, type Json, type JsonObject } from '../../../core/json.ts';
import { cwlErrors } from '../error-codes.ts';
import type { FetchText } from '../load/document-store.ts';
import { type LoadedDocument, loadDocument } from '../load/load-document.ts';
import { pathOfUrl, resolveUrl } from '../load/uri.ts';
import { mapPathTree, pathsIn } from '../values/file-object.ts';
import { type JobDocument, loadJob } from './job-document.ts';

export interface SentDocument {
  /** The document; packed, alone, or with `texts` that it refers to. */
  readonly text: string;
  /** Names one process of a packed document; its `main` unless given. */
  readonly fragment?: string | undefined;
  /** Further documents by their path relative to the first, such as the members of an archive. */
  readonly texts?: Readonly<Record<string, string>> | undefined;
  readonly job?: JsonObject | undefined;
  /** Where the document and the input object count to lie, for what they name relative to themselves; nowhere unless given. */
  readonly place?: { readonly document: string; readonly job: string } | undefined;
  /** Reads a document of this machine that was sent along as a file; throws when it may not be read. */
  readonly readFile?: ((path: string) => Promise<string>) | undefined;
  /** Which files of this machine the document and the input object may name; none unless given. */
  readonly mayRead?: ((path: string) => boolean) | undefined;
}

const nowhere = { document: 'sent:///document.cwl', job: 'sent:///inputs.json' };

/** Loads and checks a sent document and its input object; `fetchText` reads what they name by http(s). */
export async function loadSentDocument(
  sent: SentDocument,
  fetchText: FetchText,
): Promise<{ readonly document: LoadedDocument; readonly job: JobDocument }> {
  const { document: documentUrl, job: jobUrl } = sent.place ?? nowhere;
  const texts = new Map([
    [documentUrl, sent.text],
    [jobUrl, JSON.stringify(sent.job ?? {})],
    ...Object.entries(sent.texts ?? {}).map(([path, text]): [string, string] => [
      resolveUrl(path, documentUrl),
      text,
    ]),
  ]);
  const readText: FetchText = async (url) => {
    const text = texts.get(url);
    if (text !== undefined) return text;
    if (/^https?:/i.test(url)) return fetchText(url);
    const path = pathOfUrl(url);
    if (path !== undefined && sent.readFile) return sent.readFile(path);
    throw new Error('it was not sent along');
  };
  const url = sent.fragment === undefined ? documentUrl : `${documentUrl}#${sent.fragment}`;
  const document = await loadDocument(url, { readText });
  const job = await loadJob(jobUrl, { readText, namespaces: document.namespaces });
  for (const value of [document.process as unknown as Json, job.job]) refuseForeignFiles(value, sent.mayRead);
  // Actions look at ontologies again, where nobody asks any more who sent the document: what is allowed is fetched now, and kept.
  for (const url of ontologiesIn(document.process as unknown as Json)) {
    if (/^https?:/i.test(url)) await fetchText(url);
    else if (!sent.mayRead?.(pathOfUrl(url) ?? '')) throw cwlErrors.CWL_FILE_REFUSED(url);
  }
  return { document, job };
}

function refuseForeignFiles(value: Json, mayRead: (path: string) => boolean = () => false): void {
  for (const path of pathsIn(value))
    mapPathTree(path, (one) => {
      if (one.location === undefined || /^https?:/i.test(one.location)) return one;
      const local = pathOfUrl(one.location);
      if (local === undefined || !mayRead(local))
        throw cwlErrors.CWL_FILE_REFUSED(one.location.replace(/^sent:\/{0,3}/, ''));
      return one;
    });
}

function ontologiesIn(value: Json): Set<string> {
  const found = new Set<string>();
  const look = (one: Json): void => {
    if (isList(one)) one.forEach(look);
    if (!isObject(one)) return;
    for (const [key, inner] of Object.entries(one)) {
      if (key === 'schemas' && isList(inner))
        for (const url of inner) if (typeof url === 'string') found.add(url);
      look(inner);
    }
  };
  look(value);
  return found;
}

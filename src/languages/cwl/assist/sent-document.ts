// A document that came as text, alone or with others that it refers to: they are looked up among themselves, no document of this machine
// is read, and files only where the receiver allows it.
import type { Json, JsonObject } from '../../../core/json.ts';
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
  /** Which files of this machine the document and the input object may name; none unless given. */
  readonly mayRead?: ((path: string) => boolean) | undefined;
}

const documentUrl = 'sent:///document.cwl';
const jobUrl = 'sent:///inputs.json';

/** Loads and checks a sent document and its input object; `fetchText` reads what they name by http(s). */
export async function loadSentDocument(
  sent: SentDocument,
  fetchText: FetchText,
): Promise<{ readonly document: LoadedDocument; readonly job: JobDocument }> {
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
    throw new Error('it was not sent along');
  };
  const url = sent.fragment === undefined ? documentUrl : `${documentUrl}#${sent.fragment}`;
  const document = await loadDocument(url, { readText });
  const job = await loadJob(jobUrl, { readText, namespaces: document.namespaces });
  for (const value of [document.process as unknown as Json, job.job]) refuseForeignFiles(value, sent.mayRead);
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

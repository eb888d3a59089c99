// Which language a workflow document is written in, from its name and its text.
import { readFile } from 'node:fs/promises';

export type DocumentLanguage =
  | { readonly language: 'cwl' }
  | { readonly language: 'varve'; readonly text: string };

/** A key that only CWL documents, or input objects that name one, have at the top: in YAML at the start of a line, in JSON anywhere. */
const cwlKey = /(?:^|[{,]\s*)["']?(?:cwlVersion|cwl:tool)["']?\s*:/m;

/** Looks at the document; CWL ones may also be addresses, or end in `#name`. */
export async function recognizeLanguage(argument: string): Promise<DocumentLanguage> {
  if (/^https?:|\.cwl(?:#.*)?$/.test(argument)) return { language: 'cwl' };
  const path = argument.startsWith('file:') ? new URL(argument) : argument;
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' && argument.includes('#')) return undefined;
    throw error;
  });
  return text === undefined || (text.includes('cwl') && cwlKey.test(text))
    ? { language: 'cwl' }
    : { language: 'varve', text };
}

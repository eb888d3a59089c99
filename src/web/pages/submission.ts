// A document and its files as the server takes them. On the server the document lies in a folder of its own; the files that it names lie
// where it expects them, found by the ends of their paths.
import { signal } from '@preact/signals';
import type { Output } from '../base/api.ts';

export interface UploadedFile {
  readonly name: string;
  readonly upload: string;
  readonly sizeBytes: number;
}

/** Files that another page was given, for the page that submits. */
export const brought = signal<readonly File[]>([]);

const folder = '/submission';

export async function uploadFile(file: File): Promise<UploadedFile> {
  const response = await fetch('/api/v1/uploads', {
    method: 'POST',
    headers: { 'content-type': 'application/octet-stream' },
    body: file,
  });
  const answer = (await response.json()) as Output<'uploadFile'> & { detail?: string };
  if (!response.ok) throw new Error(answer.detail ?? `the server answered ${response.status}`);
  const name = file.webkitRelativePath || file.name;
  return { name, upload: answer.upload, sizeBytes: answer.sizeBytes };
}

interface Draft {
  readonly text: string;
  readonly fileName: string;
  readonly files: readonly UploadedFile[];
}

export function submissionOf({ text, fileName, files }: Draft) {
  const placed = files.flatMap(({ name, upload }) =>
    pathsFor(name, text).map((path) => [path, { upload }] as const),
  );
  return {
    workflow: text,
    fileName,
    folder,
    files: Object.fromEntries(placed),
  };
}

/** Where a file goes: wherever the document names a path that ends like it, or else beside the document. */
function pathsFor(name: string, text: string): string[] {
  const pattern = new RegExp(`[\\w./@-]*${name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}`, 'g');
  const named = [...text.matchAll(pattern)].map(([path]) => path.replace(/^(\.\/)+/, ''));
  const inside = named.filter((path) => !path.split('/').includes('..'));
  const relative = inside.length > 0 ? inside : [name];
  return [...new Set(relative.map((path) => (path.startsWith('/') ? path : `${folder}/${path}`)))];
}

/** Files that fill a gap of the document. */
export function matchFiles(files: readonly File[], missing: readonly string[]): File[] {
  return files.filter((file) => missing.some((path) => path.endsWith(`/${file.name}`)));
}

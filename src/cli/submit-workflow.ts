// Submits what a user names on the command line: near, the files stay where they are; far, those that the server misses are uploaded, and
// the submission is repeated until it misses none.
import { createReadStream } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Input } from '../api/api.ts';
import { ServerError } from '../api/client/server-error.ts';
import { VarveError } from '../core/errors.ts';
import type { Session } from './session.ts';

type Files = NonNullable<Input<'submitRun'>['files']>;

export interface NamedDocument {
  /** As the user wrote it. */
  readonly path: string;
  readonly text: string;
}

/** The fields by which a document and the world around it are submitted. */
export function documentFields({ path, text }: NamedDocument) {
  const absolute = resolve(path);
  return {
    workflow: text,
    fileName: absolute.slice(dirname(absolute).length).replace(/^\//, ''),
    folder: dirname(absolute),
  };
}

/** What a submission brings along. */
export interface Luggage {
  readonly files?: Files;
  readonly neighbours?: string[];
}

/** Calls with the files that are needed; with none when the work is near. */
export async function withFiles<T>(
  session: Session,
  document: NamedDocument,
  call: (luggage: Luggage) => Promise<T>,
): Promise<T> {
  try {
    return session.varve ? await call({}) : await uploadUntilComplete(session, document, call);
  } catch (error) {
    throw asWritten(error, document);
  }
}

async function uploadUntilComplete<T>(
  { api }: Session,
  { path }: NamedDocument,
  call: (luggage: Luggage) => Promise<T>,
): Promise<T> {
  const files: Files = {};
  let luggage: Luggage = { files, neighbours: await readdir(dirname(resolve(path))) };
  for (;;) {
    const outcome = await call(luggage).then(
      (value) => ({ value }),
      (error: unknown) => ({ error }),
    );
    const found = (await Promise.all(missingFiles(outcome).map(localFiles))).flat();
    const fresh = found.filter(({ path }) => !Object.hasOwn(files, path));
    const asked = luggage.neighbours !== undefined;
    if (fresh.length === 0 && 'value' in outcome) return outcome.value;
    if (fresh.length === 0 && 'error' in outcome && !asked) throw outcome.error;
    // What commands mean has been told; what there is of it is uploaded now.
    luggage = { files };
    for (const { path, executable } of fresh) {
      const { upload } = await api.uploadFile({ bytes: createReadStream(path) });
      files[path] = { upload, ...(executable ? { executable } : {}) };
    }
  }
}

/** A refusal names them, and so does a validation. */
function missingFiles(outcome: { readonly value?: unknown; readonly error?: unknown }): readonly string[] {
  if (outcome.error instanceof ServerError) return outcome.error.missingFiles;
  return (outcome.value as { missingFiles?: readonly string[] } | undefined)?.missingFiles ?? [];
}

export interface LocalFile {
  readonly path: string;
  readonly executable: boolean;
}

/** The file, or all files of the folder; none when there is nothing. */
export async function localFiles(path: string): Promise<LocalFile[]> {
  const stats = await stat(path).catch(() => undefined);
  if (stats?.isFile()) return [{ path, executable: (stats.mode & 0o111) !== 0 }];
  if (!stats?.isDirectory()) return [];
  const names = await readdir(path);
  return (await Promise.all(names.map((name) => localFiles(join(path, name))))).flat();
}

/** Places in the document under the name that the user gave it. */
function asWritten(error: unknown, { path }: NamedDocument): unknown {
  if (!(error instanceof VarveError)) return error;
  const place = error.place?.file === resolve(path) ? { ...error.place, file: path } : error.place;
  return new VarveError(error.kind, error.code, error.message.replaceAll(resolve(path), path), {
    place,
    hint: error.hint,
    cause: error.cause,
    problems: error.problems.map((problem) => asWritten(problem, { path, text: '' }) as VarveError),
  });
}

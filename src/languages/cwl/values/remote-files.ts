// Files that inputs name by http(s): fetched once by whoever lowers the workflow, local from then on, under the name in the URL.
import type { Json } from '../../../core/json.ts';
import { cwlErrors } from '../error-codes.ts';
import { urlOfPath } from '../load/uri.ts';
import { basenameOf, type CwlPath, isFile, mapAllPaths, mapPathTree, pathsIn } from './file-object.ts';

/** Fetches a remote file and returns the path of its local copy. */
export type FetchFile = (url: string) => Promise<string>;

/** The value with every remote file replaced by its local copy; without a fetcher remote files are an error. */
export async function withLocalFiles(value: Json, fetchFile: FetchFile | undefined): Promise<Json> {
  const remote = new Set<string>();
  for (const path of pathsIn(value))
    mapPathTree(path, (one) => {
      if (isRemote(one)) {
        if (!isFile(one)) throw cwlErrors.CWL_REMOTE(one.location!, 'a Directory cannot be fetched');
        remote.add(one.location!);
      }
      return one;
    });
  if (remote.size === 0) return value;
  const fetched = new Map<string, string>();
  await Promise.all(
    [...remote].map(async (url) => {
      if (fetchFile === undefined) throw cwlErrors.CWL_REMOTE(url, 'only local files can be read here');
      fetched.set(url, urlOfPath(await fetchFile(url)));
    }),
  );
  return mapAllPaths(value, (path) => {
    const location = path.location === undefined ? undefined : fetched.get(path.location);
    return location === undefined
      ? path
      : { ...path, location, basename: path.basename ?? basenameOf(path.location!) };
  });
}

function isRemote(path: CwlPath): boolean {
  return path.location !== undefined && /^(https?|ftp):/i.test(path.location);
}

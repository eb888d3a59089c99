// Wires what workflow documents name outside the store: files with remembered digests, and downloads.
import { stat } from 'node:fs/promises';
import type { FileDigestCache } from '../core/ports/file-digest-cache.ts';
import type { Store } from '../core/ports/store.ts';
import type { DigestFiles, FetchedFile, FetchUrls } from '../languages/varve/file-table.ts';
import { FileDigests } from '../storage/local/file-digests.ts';
import { UrlInputs } from '../storage/local/url-inputs.ts';

/** Digests of input files, hashed once and remembered in the store by device, inode, size and times. */
export function rememberedDigests(store: Store): DigestFiles {
  const digests = new FileDigests({ cache: digestCache(store) });
  return async (paths) => {
    const facts = await Promise.all(paths.map((path) => stat(path).catch(() => undefined)));
    const there = paths.filter((_, i) => facts[i]?.isFile() || facts[i]?.isDirectory());
    const found = await digests.inputs(there);
    const modifiedAt = new Map(paths.map((path, i) => [path, facts[i]?.mtimeMs ?? 0]));
    return new Map(
      there.map((path, i) => {
        const { kind, digest, sizeBytes } = found[i] as (typeof found)[number];
        return [path, { kind, sha256: digest, sizeBytes, modifiedAtMs: modifiedAt.get(path) ?? 0 }];
      }),
    );
  };
}

/** What a document that comes from somebody else may name. */
export interface InputGuard {
  /** False when a path may not be looked at: it counts as absent. */
  allowFile(path: string): Promise<boolean>;
  /** The reason why an address may not be asked, or undefined when it may. */
  allowUrl(url: URL): string | undefined;
}

/** Digests of those files only that the guard allows. */
export function guardedDigests(digests: DigestFiles, guard: InputGuard | undefined): DigestFiles {
  if (!guard) return digests;
  return async (paths) => {
    const allowed = await Promise.all(paths.map((path) => guard.allowFile(path)));
    return digests(paths.filter((_, i) => allowed[i]));
  };
}

/** Downloads of `url` inputs, kept in `folder` and asked for again only when they changed. */
export function downloads(folder: string, guard?: InputGuard): FetchUrls {
  const inputs = new UrlInputs({ folder, ...(guard ? { allow: guard.allowUrl } : {}) });
  return async (urls) => {
    const fetched = new Map<string, FetchedFile | { readonly failure: string }>();
    await Promise.all(
      urls.map(async (url) => {
        try {
          const { path, digest, sizeBytes } = await inputs.get(url);
          const { mtimeMs } = await stat(path);
          fetched.set(url, { kind: 'file', sha256: digest, sizeBytes, modifiedAtMs: mtimeMs, path });
        } catch (error) {
          fetched.set(url, { failure: error instanceof Error ? error.message : String(error) });
        }
      }),
    );
    return fetched;
  };
}

function digestCache(store: Store): FileDigestCache {
  return {
    async get(keys) {
      const known = await store.view.fileDigests(keys);
      return keys.map((key) => known.get(key)?.sha256);
    },
    async put(entries) {
      const rows = entries.map(({ key, digest }) => ({ key, sha256: digest, sizeBytes: 0 }));
      await store.write((tx) => tx.putFileDigests(rows, Date.now()), { durable: false });
    },
  };
}

// Store URLs: a file path, `sqlite:<path>`, `:memory:` or `postgres://…`.
import { storeErrors } from './error-codes.ts';

export type StoreUrl =
  | { readonly kind: 'postgres'; readonly url: string }
  | { readonly kind: 'sqlite'; readonly path: string };

export function parseStoreUrl(url: string): StoreUrl {
  if (/^postgres(ql)?:\/\//.test(url)) return { kind: 'postgres', url };
  if (/^[a-z][a-z0-9+.-]+:/i.test(url) && !url.startsWith('sqlite:')) throw storeErrors.STORE_BAD_URL(url);
  const path = url.replace(/^sqlite:(\/\/(?=\/))?/, '');
  if (path === '') throw storeErrors.STORE_BAD_URL(url);
  return { kind: 'sqlite', path };
}

/** The URL as it may be shown. */
export function withoutPassword(url: string): string {
  return url.replace(/\/\/([^:@/]*):[^@/]*@/, '//$1@').replace(/([?&]password=)[^&]*/, '$1…');
}

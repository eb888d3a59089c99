// The server that this page came from.
import type { Input, Output } from '../../api/api.ts';
import { VarveClient } from '../../api/client/client.ts';
import type { OperationName } from '../../api/contract/all.ts';

export const api = new VarveClient({ url: location.origin, retries: 1 });

export type { Input, OperationName, Output };
/** One element of a list operation. */
export type Item<K extends OperationName> = Output<K> extends { items: readonly (infer T)[] } ? T : never;

/** The address of a download, for links and images. */
export function downloadUrl(path: string): string {
  return `/api/v1${path}`;
}

export function fileUrl(dataset: string, path: string): string {
  return downloadUrl(`/datasets/${dataset}/files/${path.split('/').map(encodeURIComponent).join('/')}`);
}

// What people call a process: its fragment, else the name of its document.
import { posix } from 'node:path';
import { pathOfUrl, withoutFragment } from '../load/uri.ts';
import type { Process } from '../model/process.ts';

export function displayNameOf(process: Pick<Process, 'id'>): string {
  const hash = process.id.indexOf('#');
  const fragment = hash < 0 ? '' : process.id.slice(hash + 1);
  if (fragment !== '' && fragment !== 'main') return fragment;
  const path = pathOfUrl(process.id) ?? withoutFragment(process.id);
  return posix.basename(path).replace(/\.(cwl|json|ya?ml)$/, '') || 'cwl';
}

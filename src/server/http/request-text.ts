// Looks through what a request brought before anything else does: characters that no database stores, and nesting so deep that programs
// which walk it would run out of stack. The walk itself uses none.
import type { FastifyRequest } from 'fastify';
import { serverErrors } from '../error-codes.ts';

const deepest = 100;

export function checkRequestText(request: FastifyRequest): void {
  check('params', request.params);
  check('querystring', request.query);
  if (!Buffer.isBuffer(request.body) && !isStream(request.body)) check('body', request.body);
}

function isStream(body: unknown): boolean {
  return typeof (body as { pipe?: unknown } | null | undefined)?.pipe === 'function';
}

function check(where: string, root: unknown): void {
  const open: { readonly value: unknown; readonly depth: number }[] = [{ value: root, depth: 0 }];
  for (let item = open.pop(); item; item = open.pop()) {
    const { value, depth } = item;
    if (typeof value === 'string') {
      if (value.includes('\0')) throw serverErrors.REQUEST_FIELD(where, 'must not contain the character NUL');
    } else if (typeof value === 'object' && value !== null) {
      if (depth >= deepest)
        throw serverErrors.REQUEST_FIELD(where, `is nested deeper than ${deepest} levels`);
      for (const [name, inner] of Object.entries(value)) {
        if (name.includes('\0'))
          throw serverErrors.REQUEST_FIELD(where, 'must not contain the character NUL');
        if (typeof inner === 'string' || typeof inner === 'object')
          open.push({ value: inner, depth: depth + 1 });
      }
    }
  }
}

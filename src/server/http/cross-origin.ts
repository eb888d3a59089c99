// Refuses requests that a page of another site makes in the name of a user (CSRF). Browsers say where a request comes from; what changes
// nothing is allowed from anywhere, because no answer carries permission for other sites to read it.
import type { FastifyRequest } from 'fastify';
import { serverErrors } from '../error-codes.ts';

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS']);

export function refuseForeignOrigins(request: FastifyRequest, publicOrigin: string | undefined): void {
  if (safeMethods.has(request.method)) return;
  const site = request.headers['sec-fetch-site'];
  if (site === 'same-origin' || site === 'none') return;
  const { origin } = request.headers;
  if (origin === undefined && site === undefined) return;
  if (origin !== undefined && (origin === publicOrigin || originHost(origin) === request.headers.host))
    return;
  throw serverErrors.FOREIGN_ORIGIN(String(origin ?? site).slice(0, 200));
}

function originHost(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined;
}

// Finds out who asks. Without users, the server belongs to the user of the machine; it then answers only under names of this machine, so
// that no web page elsewhere can reach it by a name of its own (DNS rebinding).
import type { FastifyRequest } from 'fastify';
import { type Access, localAccess } from '../caller.ts';
import { serverErrors } from '../error-codes.ts';

export type Authenticate = (request: FastifyRequest) => Promise<Access>;

const loopbackNames = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Everybody who reaches the server is the local user. */
export function localUserOnly(userName: string, publicHost: string | undefined): Authenticate {
  const access = localAccess(userName);
  return async (request) => {
    const host = request.headers.host ?? '';
    const name = host.replace(/:\d+$/, '');
    if (!loopbackNames.has(name) && host !== publicHost) throw serverErrors.FOREIGN_HOST(host.slice(0, 100));
    return access;
  };
}

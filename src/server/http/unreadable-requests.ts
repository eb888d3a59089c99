// What comes before any route: addresses and messages that are none. They are answered as every other refusal is, with problem details,
// an id that is in the log, and the headers of the site.
import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyBaseLogger } from 'fastify';
import { serverErrors } from '../error-codes.ts';
import { toProblem } from '../problem-details.ts';

const statusOfFailure: Readonly<Record<string, number>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 408,
  HPE_HEADER_OVERFLOW: 431,
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 413,
};
const reasons: Readonly<Record<number, string>> = {
  400: 'it is not HTTP',
  408: 'it did not arrive in time',
  413: 'the extensions of its chunks are too long',
  431: 'its headers are too long',
};

/** Answers a message that could not be read, and ends the connection. */
export function refuseMessage(
  error: Error & { readonly code?: string },
  socket: Socket,
  log: FastifyBaseLogger,
): void {
  if (error.code === 'ECONNRESET' || socket.destroyed) return;
  const status = statusOfFailure[error.code ?? ''] ?? 400;
  const requestId = randomUUID();
  log.info({ reqId: requestId, ip: socket.remoteAddress, code: error.code, status }, 'not read');
  if (socket.writable) {
    const problem = serverErrors.REQUEST_INVALID(reasons[status] as string);
    const body = JSON.stringify(toProblem(problem, status, requestId));
    const head = [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      'content-type: application/problem+json',
      `content-length: ${Buffer.byteLength(body)}`,
      `x-request-id: ${requestId}`,
      'x-content-type-options: nosniff',
      'cache-control: no-store',
      'connection: close',
    ];
    socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
  }
  socket.destroy(error);
}

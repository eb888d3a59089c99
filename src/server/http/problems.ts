// Every failure of a request as problem details: ours with their codes, Fastify's by their status, anything else as a bug that is logged
// and not shown.
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { errorKinds, VarveError } from '../../core/errors.ts';
import { serverErrors } from '../error-codes.ts';
import { toProblem } from '../problem-details.ts';

const statusOfCode: Readonly<Record<string, number>> = {
  RANGE_INVALID: 416,
  CURSOR_INVALID: 400,
  REQUEST_INVALID: 400,
  REQUEST_FIELD: 400,
  NOT_LOGGED_IN: 401,
  RATE_LIMITED: 429,
  BODY_TOO_LARGE: 413,
  MEDIA_TYPE: 415,
  ARCHIVE_DAMAGED: 422,
  // Nothing is broken: things just stand in the way.
  DECISIONS_BUSY: 409,
  RESTORE_IMPOSSIBLE: 409,
};

export function sendProblem(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const known = explained(error, request);
  const status = statusOfCode[known.code] ?? errorKinds[known.kind].httpStatus;
  if (status >= 500 && known.code !== 'SERVER_CLOSING')
    request.log.error({ err: error, code: known.code }, 'request failed');
  if (status === 401) reply.header('www-authenticate', 'Bearer realm="varve"');
  if (status === 429 || status === 503) reply.header('retry-after', '1');
  return reply
    .code(status)
    .header('content-type', 'application/problem+json')
    .header('cache-control', 'no-store')
    .send(JSON.stringify(toProblem(known, status, request.id)));
}

function explained(error: unknown, request: FastifyRequest): VarveError {
  if (error instanceof VarveError) return error;
  const { validation, validationContext, code, statusCode, message } = error as Partial<FastifyError>;
  if (validation) return invalidRequest(validation, validationContext ?? 'request');
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') return serverErrors.BODY_TOO_LARGE();
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE')
    return serverErrors.MEDIA_TYPE(String(request.headers['content-type']).slice(0, 100));
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500)
    return serverErrors.REQUEST_INVALID(message ?? 'it cannot be read');
  return serverErrors.SERVER_BUG(request.id);
}

function invalidRequest(validation: NonNullable<FastifyError['validation']>, where: string): VarveError {
  const problems = validation.map(({ instancePath, message, params }) => {
    const { additionalProperty, missingProperty } = params as Record<string, string | undefined>;
    const below = additionalProperty ?? missingProperty;
    const field = [where, ...instancePath.split('/').slice(1), ...(below ? [below] : [])].join('.');
    const what = additionalProperty
      ? 'is not known'
      : missingProperty
        ? 'is missing'
        : (message ?? 'is wrong');
    return serverErrors.REQUEST_FIELD(field, what);
  });
  const summary = problems.map((problem) => problem.message).slice(0, 5);
  return serverErrors.REQUEST_INVALID.with({ problems }, summary.join('; '));
}

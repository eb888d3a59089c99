// What a server refuses, and why.
import { defineErrors } from '../core/errors.ts';

export const serverErrors = defineErrors({
  REQUEST_INVALID: {
    kind: 'invalid',
    summary: 'A request does not fit its schema; every problem is listed.',
    message: (what: string) => `the request is not valid: ${what}`,
  },
  REQUEST_FIELD: {
    kind: 'invalid',
    summary: 'One field of a request is wrong.',
    message: (field: string, what: string) => `${field}: ${what}`,
  },
  SERVER_BUG: {
    kind: 'bug',
    summary: 'The server itself is at fault. Its log has the details under the id of the request.',
    message: (requestId: string) =>
      `internal error; the log of the server has more about request ${requestId}`,
  },
  SERVER_CLOSING: {
    kind: 'unavailable',
    summary: 'The server was told to stop and takes no further requests.',
    message: () => 'the server is being stopped',
    hint: 'try again in a moment',
  },
  BODY_TOO_LARGE: {
    kind: 'invalid',
    summary:
      'The body of a request is larger than server.bodyLimit, or an upload larger than server.uploadLimit.',
    message: () => 'the body is larger than this server allows',
  },
  MEDIA_TYPE: {
    kind: 'invalid',
    summary: 'The body of a request is application/json; that of an upload is application/octet-stream.',
    message: (type: string) => `the server cannot read a body of type ${type}`,
  },
  NOT_LOGGED_IN: {
    kind: 'denied',
    summary: 'The server wants to know who asks: send a token, or log in on the web page.',
    message: (why: string) => `you are not logged in: ${why}`,
    hint: 'set VARVE_TOKEN for varve, or send the header "Authorization: Bearer TOKEN"; `varve tokens add` makes one',
  },
  FOREIGN_ORIGIN: {
    kind: 'denied',
    summary: 'A web page of another site may not change anything here.',
    message: (origin: string) => `requests from ${origin} are not accepted`,
  },
  FOREIGN_HOST: {
    kind: 'denied',
    summary:
      'A server for the local user answers only under names of this machine; set server.publicUrl for another.',
    message: (host: string) => `this server does not answer under the name ${host}`,
    hint: 'use localhost, or set server.publicUrl',
  },
  USER_NOT_FOUND: {
    kind: 'missing',
    summary: 'There is no user of this name. `varve users ls` lists them.',
    message: (name: string) => `there is no user ${name}`,
  },
  USER_NAME: {
    kind: 'invalid',
    summary: 'Names of users and projects are lower-case letters, digits, dots, dashes and underscores.',
    message: (name: string) => `"${name}" is no name of a user or project`,
  },
  LAST_ADMIN: {
    kind: 'conflict',
    summary: 'The last administrator cannot be disabled or lose the role.',
    message: (name: string) => `${name} is the last administrator`,
  },
  TOKEN_NOT_FOUND: {
    kind: 'missing',
    summary: 'There is no such token, or it was revoked already.',
    message: (id: number) => `there is no token ${id} to revoke`,
  },
  LOGIN_FAILED: {
    kind: 'denied',
    summary: 'The OpenID provider did not say who the user is, or the user is not known here.',
    message: (why: string) => `the log-in failed: ${why}`,
    hint: 'begin again at /auth/login, or ask an administrator',
  },
  LOGIN_UNAVAILABLE: {
    kind: 'unsupported',
    summary: 'OpenID Connect is not set up: oidc.issuer names the provider.',
    message: () => 'nobody can log in here: oidc.issuer is not set',
  },
  RATE_LIMITED: {
    kind: 'exhausted',
    summary: 'Too many requests within a second. Wait, or raise server.rateLimit.',
    message: (limit: number) => `more than ${limit} requests per second`,
    hint: 'try again in a second',
  },
  WORKER_UNKNOWN: {
    kind: 'missing',
    summary:
      'No worker has registered under this number with this secret. It registers again and begins anew.',
    message: (worker: string) => `there is no worker ${worker} with this session`,
  },
  WORKER_GONE: {
    kind: 'conflict',
    summary:
      'The worker was declared lost, or has left: its jobs are with others. It ends what runs, forgets it, and registers again.',
    message: (name: string) => `worker ${name} was given up`,
  },
  JOB_NOT_YOURS: {
    kind: 'conflict',
    summary: 'The worker does not have the job, or no longer. It ends and forgets it.',
    message: (key: string, name: string) => `job ${key} is not with worker ${name}`,
  },
  JOB_INPUT_MISSING: {
    kind: 'missing',
    summary: 'A worker asked for an input that its job does not have, or that has vanished.',
    message: (key: string, number: number) => `job ${key} has no input ${number}`,
  },
  JOB_LOG_GAP: {
    kind: 'conflict',
    summary: 'A log is sent from its beginning, without gaps.',
    message: (stream: string, size: number, offset: number) =>
      `${stream} has ${size} bytes so far, these begin at ${offset}`,
  },
  JOB_LOG_IS_OUTPUT: {
    kind: 'conflict',
    summary: 'The stream goes to a file of the output and is sent with it.',
    message: (stream: string) => `${stream} is part of the output`,
  },
  JOB_OUTPUT_PLACE: {
    kind: 'invalid',
    summary: 'A worker sends back only the directories that its job names.',
    message: (path: string) => `${path} is not in a directory that comes back`,
  },
  LISTEN_FAILED: {
    kind: 'unavailable',
    summary:
      'The server cannot listen at the address, because another program does or the machine does not have it.',
    message: (address: string, why: string) => `cannot listen at ${address}: ${why}`,
    hint: 'choose another with --listen',
  },
  LISTEN_UNPROTECTED: {
    kind: 'denied',
    summary: 'A server that others can reach must know its users: add one, or set up OpenID Connect, first.',
    message: (address: string) => `${address} can be reached by others, and nobody could prove who they are`,
    hint: 'add a user and a token: varve users add NAME --role admin; varve tokens add NAME',
  },
  CURSOR_INVALID: {
    kind: 'invalid',
    summary: 'A cursor is `next` of an earlier page of the same list, unchanged.',
    message: () => 'the cursor is not one of this list',
    hint: 'begin again without a cursor',
  },
  RANGE_INVALID: {
    kind: 'invalid',
    summary: 'The range lies outside the file.',
    message: (range: string, size: number) => `the range ${range} is outside the ${size} bytes of the file`,
  },
  DOCS_NOT_BUILT: {
    kind: 'missing',
    summary: 'A clone has no pages under /docs until `npm run docs` has made them; the package has them.',
    message: () => 'the documentation is not built',
    hint: 'run `npm run docs` in the clone',
  },
  ROUTE_NOT_FOUND: {
    kind: 'missing',
    summary: 'The server has no such address. GET /api/v1/openapi.json lists all of them.',
    message: (method: string, path: string) => `there is no ${method} ${path}`,
  },
  WEB_PAGE_MISSING: {
    kind: 'unavailable',
    summary:
      'From sources the web page is built when it is first asked for, and that failed. The API works without it.',
    message: (why: string) => `the web page could not be built: ${why}`,
    hint: 'in the clone, run `npm ci`, then `node scripts/build-web.ts` to see what is wrong',
  },
  FILE_NOT_FOUND: {
    kind: 'missing',
    summary: 'The dataset has no such file, or the address is a folder.',
    message: (path: string) => `the dataset has no file ${path}`,
  },
  ATTEMPT_NOT_FOUND: {
    kind: 'missing',
    summary: 'The action has no such attempt, so there is no log of it.',
    message: (key: string, state: string) => `action ${key} has no such attempt: it is ${state}`,
  },
  UPLOAD_NOT_FOUND: {
    kind: 'missing',
    summary: 'A submission names an upload that is not there; upload the file again.',
    message: (upload: string) => `there is no upload ${upload.slice(0, 12)}`,
  },
  UPLOAD_PATH: {
    kind: 'invalid',
    summary: 'Files of a submission have absolute paths without `.`, `..` and empty parts.',
    message: (path: string) => `"${path}" is no absolute path of a file`,
  },
  SUBMIT_FILES_MISSING: {
    kind: 'invalid',
    summary:
      'Commands of the workflow mean programs beside it that were not uploaded; `missingFiles` names them.',
    message: (count: number) => `${count} files beside the workflow were not uploaded`,
  },
  SUBMIT_FILE_MISSING: {
    kind: 'invalid',
    summary: 'A document names another one that was not sent along; upload it and name it in `files`.',
    message: () => 'it was not sent along',
  },
  SUBMIT_DOCUMENT_MISSING: {
    kind: 'invalid',
    summary:
      'A submission brings its document as `workflow`, or as a member of `archive` that `fileName` names below `folder`.',
    message: (inArchive: string | undefined) =>
      inArchive === undefined
        ? 'no workflow was sent'
        : `the archive has no file ${inArchive}, and no workflow was sent beside it`,
  },
  SUBMIT_ARCHIVE: {
    kind: 'invalid',
    summary:
      'An archive of a submission is a tar file, perhaps compressed by gzip, or a zip file, and whole.',
    message: (reason: string) => `the archive cannot be unpacked: ${reason}`,
  },
  SUBMIT_NOT_CWL: {
    kind: 'missing',
    summary: 'Only runs of CWL documents have an output object; the results of others are their datasets.',
    message: (run: number) => `run ${run} has no output object`,
  },
  SUBMIT_ACTION_UNKNOWN: {
    kind: 'missing',
    summary: 'A submission forces an action that its workflow does not have.',
    message: (key: string) => `the workflow has no action "${key}"`,
  },
  NO_BUDGET: {
    kind: 'invalid',
    summary: 'Without a storage budget a decision needs to be told how much to free.',
    message: () => 'no storage budget is set',
    hint: 'say how much to free, or set storage.budget',
  },
  NO_RETENTION: {
    kind: 'invalid',
    summary: 'Without `history.retention` compaction needs to be told which runs are old.',
    message: () => 'history.retention is not set',
    hint: 'say how old, or set history.retention',
  },
  PROJECT_DENIED: {
    kind: 'denied',
    summary: 'The user is no member of the project.',
    message: (project: string) => `you may not submit to ${project}`,
  },
  ROLE_DENIED: {
    kind: 'denied',
    summary: 'The role of the user, or that of the token, does not allow the operation.',
    message: (needed: string, has: string) => `this needs the role ${needed}; yours is ${has}`,
  },
});

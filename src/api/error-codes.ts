// What can go wrong between a client and a server.
import { defineErrors } from '../core/errors.ts';

export const apiErrors = defineErrors({
  SERVER_ADDRESS: {
    kind: 'invalid',
    summary: 'The address of a server is an http or https URL.',
    message: (url: string) => `"${url}" is no address of a server`,
    hint: 'it looks like http://127.0.0.1:7433 or https://varve.example.org',
  },
  SERVER_UNREACHABLE: {
    kind: 'unavailable',
    summary: 'The server does not answer, or the connection broke.',
    message: (url: string, why: string) => `no answer from ${url}: ${why}`,
    hint: 'is `varve serve` running there?',
  },
  SERVER_ANSWER: {
    kind: 'unavailable',
    summary: 'Something answered that is no Varve server, for instance a proxy.',
    message: (url: string, what: string) => `${url} answered as no Varve server does: ${what}`,
  },
  ARCHIVE_DAMAGED: {
    kind: 'corrupt',
    summary:
      'An archive that was received is incomplete or names files outside itself; nothing more of it was written.',
    message: (why: string) => `the archive cannot be unpacked: ${why}`,
  },
});

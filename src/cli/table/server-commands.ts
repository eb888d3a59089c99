// Rows of the commands about servers and their users.
import type { CommandRows } from '../command.ts';

export const serverCommands = {
  serve: {
    summary: 'answer requests over HTTP, look after datasets and run actions, until stopped',
    description:
      'Out of the box it listens on the loopback interface for the user of the machine. Any number of servers may share one store; --roles says what this one does. On SIGTERM it stops taking work, finishes requests and leaves; running actions go on and are taken over.',
    options: {
      listen: { type: 'text', placeholder: 'HOST:PORT', summary: 'address; port 0 takes a free one' },
      roles: {
        type: 'text',
        placeholder: 'ROLES',
        summary: 'some of api, manager and worker, with commas between them',
      },
    },
    examples: [
      { line: 'varve serve', what: 'on this machine, for you' },
      { line: 'varve serve --roles worker', what: 'a further worker on the same store' },
    ],
  },
} as const satisfies CommandRows;

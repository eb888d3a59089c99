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
  'users add': {
    remote: true,
    summary: 'add a user of the server, or change one',
    description:
      'As soon as there is a user, the server wants to know who asks. Everybody sees what they submit themselves and what belongs to their projects; administrators see everything.',
    arguments: [{ name: 'user', summary: 'the name' }],
    options: {
      role: { type: 'choice', choices: ['viewer', 'submitter', 'admin'], summary: 'what the user may do' },
      project: { type: 'text', multiple: true, summary: 'a project that the user belongs to' },
    },
    examples: [
      { line: 'varve users add anna --role admin', what: 'the first administrator' },
      { line: 'varve users add ben --project genomics --project shared', what: 'a submitter' },
    ],
  },
  'users ls': {
    remote: true,
    summary: 'list the users of the server',
    examples: [{ line: 'varve users ls', what: 'with roles and projects' }],
  },
  'users disable': {
    remote: true,
    summary: 'shut a user out; `users add` lets them in again',
    arguments: [{ name: 'user', summary: 'the name' }],
    examples: [{ line: 'varve users disable ben', what: 'tokens and log-ins end at once' }],
  },
  'tokens add': {
    remote: true,
    summary: 'make a token by which programs of a user are known; it is shown once',
    arguments: [{ name: 'user', summary: 'whose; your own without it', optional: true }],
    options: {
      name: { type: 'text', summary: 'what it is for' },
      role: {
        type: 'choice',
        choices: ['viewer', 'submitter', 'admin'],
        summary: 'the most that it allows; as much as the user may without it',
      },
      project: { type: 'text', summary: 'only for this project' },
      for: { type: 'duration', summary: 'how long it is good for; for ever without it' },
    },
    examples: [{ line: 'varve tokens add anna --name laptop --for 90d', what: 'keep it in VARVE_TOKEN' }],
  },
  'tokens ls': {
    remote: true,
    summary: 'list tokens and when they were used last',
    options: { user: { type: 'text', summary: 'only of this user' } },
    examples: [{ line: 'varve tokens ls', what: 'without their secrets, which nobody knows' }],
  },
  'tokens revoke': {
    remote: true,
    summary: 'revoke a token',
    arguments: [{ name: 'token', summary: 'its number; `varve tokens ls` lists them' }],
    examples: [{ line: 'varve tokens revoke 3', what: 'it is worth nothing from now on' }],
  },
  workers: {
    remote: true,
    summary: 'list the processes that share the store and what they are doing',
    options: { all: { type: 'flag', summary: 'also those that have gone' } },
    examples: [{ line: 'varve workers', what: 'role, host, version, last sign of life' }],
  },
} as const satisfies CommandRows;

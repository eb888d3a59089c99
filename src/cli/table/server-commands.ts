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
  worker: {
    remote: true,
    summary: 'run actions for a server, over HTTP alone, until stopped',
    description:
      'Give the server with --server or VARVE_SERVER, and a token of an administrator in VARVE_TOKEN. Inputs are downloaded, logs and outputs uploaded; with --shared-storage the machine sees the storage of the server under the same paths and nothing is copied. On SIGTERM it takes nothing new, finishes what it has, and leaves.',
    options: {
      name: { type: 'text', placeholder: 'NAME', summary: 'how it is called in lists (else the host name)' },
      tags: {
        type: 'text',
        placeholder: 'TAGS',
        summary: 'what the machine offers, with commas between them (else execution.tags)',
      },
      cores: { type: 'integer', summary: 'cores that jobs share (else execution.cores, else all)' },
      memory: { type: 'bytes', summary: 'memory that jobs share (else execution.memory, else all)' },
      'shared-storage': { type: 'flag', summary: 'the storage of the server is here under the same paths' },
      folder: { type: 'path', summary: 'where jobs have their files (else `worker` in the home folder)' },
    },
    examples: [
      { line: 'varve --server http://127.0.0.1:7433 worker', what: 'work for the server of this machine' },
      {
        line: 'varve --server https://varve.example.org worker --tags gpu --cores 16',
        what: 'offer a machine with a tag',
      },
    ],
  },
  'workers pause': {
    remote: true,
    summary: 'let a process keep what it has and take nothing new',
    arguments: [{ name: 'worker', summary: 'number, name, or a unique beginning of the name' }],
    examples: [{ line: 'varve workers pause gpu-1', what: 'no new actions there' }],
  },
  'workers resume': {
    remote: true,
    summary: 'let a paused or draining process take actions again',
    arguments: [{ name: 'worker', summary: 'number, name, or a unique beginning of the name' }],
    examples: [{ line: 'varve workers resume gpu-1', what: 'go on' }],
  },
  'workers drain': {
    remote: true,
    summary: 'let a process finish what it has and leave',
    arguments: [{ name: 'worker', summary: 'number, name, or a unique beginning of the name' }],
    examples: [{ line: 'varve workers drain gpu-1', what: 'before maintenance of the machine' }],
  },
  'workers exit': {
    remote: true,
    summary: 'let a process leave at once',
    description:
      'What a server runs on its own machine goes on and is taken over. A worker that is reached over HTTP ends what it runs; the actions are tried again elsewhere.',
    arguments: [{ name: 'worker', summary: 'number, name, or a unique beginning of the name' }],
    examples: [{ line: 'varve workers exit gpu-1', what: 'leave now' }],
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

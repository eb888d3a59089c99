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
  'workers ls': {
    summary: 'show the processes that share the store, what they do and when they were last heard of',
    options: { all: { type: 'flag', summary: 'also those that left or were lost' } },
    examples: [{ line: 'varve workers ls', what: 'who works now' }],
  },
  'workers pause': {
    summary: 'let a process keep what it has and take nothing new',
    arguments: [{ name: 'worker', summary: 'number, name, or a unique beginning of the name' }],
    examples: [{ line: 'varve workers pause gpu-1', what: 'no new actions there' }],
  },
  'workers resume': {
    summary: 'let a paused or draining process take actions again',
    arguments: [{ name: 'worker', summary: 'number, name, or a unique beginning of the name' }],
    examples: [{ line: 'varve workers resume gpu-1', what: 'go on' }],
  },
  'workers drain': {
    summary: 'let a process finish what it has and leave',
    arguments: [{ name: 'worker', summary: 'number, name, or a unique beginning of the name' }],
    examples: [{ line: 'varve workers drain gpu-1', what: 'before maintenance of the machine' }],
  },
  'workers exit': {
    summary: 'let a process leave at once',
    description:
      'What a server runs on its own machine goes on and is taken over. A worker that is reached over HTTP ends what it runs; the actions are tried again elsewhere.',
    arguments: [{ name: 'worker', summary: 'number, name, or a unique beginning of the name' }],
    examples: [{ line: 'varve workers exit gpu-1', what: 'leave now' }],
  },
} as const satisfies CommandRows;

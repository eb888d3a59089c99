// A worker: a process that takes part, alive as long as its lease.
import { defineMachine } from './machine.ts';

export const workerMachine = defineMachine({
  name: 'worker',
  about: 'A process that takes part, alive as long as its lease.',
  states: {
    ACTIVE: 'takes work',
    PAUSED: 'keeps what it has, takes nothing new',
    DRAINING: 'finishes what it has, then leaves',
    GONE: 'left in good order',
    LOST: 'its lease ran out or its process died',
  },
  initial: ['ACTIVE'],
  final: ['GONE', 'LOST'],
  events: {
    pause: { when: 'an operator pauses it', moves: { ACTIVE: 'PAUSED' } },
    resume: { when: 'an operator resumes it', moves: { PAUSED: 'ACTIVE', DRAINING: 'ACTIVE' } },
    drain: {
      when: 'an operator or a signal asks it to leave',
      moves: { ACTIVE: 'DRAINING', PAUSED: 'DRAINING' },
    },
    leave: { when: 'it has nothing left to do', moves: { ACTIVE: 'GONE', PAUSED: 'GONE', DRAINING: 'GONE' } },
    lose: { when: 'its lease ran out', moves: { ACTIVE: 'LOST', PAUSED: 'LOST', DRAINING: 'LOST' } },
    comeBack: { when: 'it was declared lost but lives', moves: { LOST: 'ACTIVE' } },
  },
});

export type WorkerState = keyof typeof workerMachine.states;

// An event: a token on an input of a job in an event-driven workflow.
import { defineMachine } from './machine.ts';

export const eventMachine = defineMachine({
  name: 'event',
  about: 'A token on an input of a job in an event-driven workflow.',
  states: {
    PENDING: 'waits on its input',
    CONSUMED: 'was taken by an execution of the job',
    DISCARDED: 'was taken away unused',
  },
  initial: ['PENDING'],
  final: ['CONSUMED', 'DISCARDED'],
  events: {
    consume: { when: 'every input of the job has an event', moves: { PENDING: 'CONSUMED' } },
    discard: { when: 'the workflow is stopped', moves: { PENDING: 'DISCARDED' } },
    putBack: { when: 'the execution that took it is tried again', moves: { CONSUMED: 'PENDING' } },
  },
});

export type EventState = keyof typeof eventMachine.states;

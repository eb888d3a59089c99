// An attempt: one try at an action, immutable once ended.
import { defineMachine } from './machine.ts';

export const attemptMachine = defineMachine({
  name: 'attempt',
  about: 'One try at an action; immutable once ended.',
  states: {
    SUBMITTED: 'committed, then handed to the back-end (I4)',
    RUNNING: 'the back-end says that it runs',
    SUCCEEDED: 'ended well; its output was published',
    FAILED: 'ended with an error',
    LOST: 'the back-end has no trace of its end, and it can never start again',
    CANCELLED: 'stopped on request',
  },
  initial: ['SUBMITTED'],
  final: ['SUCCEEDED', 'FAILED', 'LOST', 'CANCELLED'],
  events: {
    start: { when: 'the back-end reports a running process', moves: { SUBMITTED: 'RUNNING' } },
    succeed: { when: 'its output is published', moves: { SUBMITTED: 'SUCCEEDED', RUNNING: 'SUCCEEDED' } },
    fail: {
      when: 'exit code, time-out or missing output',
      moves: { SUBMITTED: 'FAILED', RUNNING: 'FAILED' },
    },
    lose: {
      when: 'recovery finds neither process nor outcome',
      moves: { SUBMITTED: 'LOST', RUNNING: 'LOST' },
    },
    cancel: { when: 'a cancel took effect', moves: { SUBMITTED: 'CANCELLED', RUNNING: 'CANCELLED' } },
  },
});

export type AttemptState = keyof typeof attemptMachine.states;

/** States in which the back-end may still have the attempt. */
export const liveAttemptStates = ['SUBMITTED', 'RUNNING'] as const;

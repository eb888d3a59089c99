// A run: one submission of a workflow by a user.
import { defineMachine } from './machine.ts';

export const runMachine = defineMachine({
  name: 'run',
  about: 'One submission of a workflow by a user.',
  states: {
    RUNNING: 'some action has not ended',
    CANCELLING: 'cancel was asked for; running actions are being stopped',
    SUCCEEDED: 'every action that was needed has its dataset',
    FAILED: 'some action failed for good',
    CANCELLED: 'stopped on request',
  },
  initial: ['RUNNING'],
  final: ['SUCCEEDED', 'FAILED', 'CANCELLED'],
  events: {
    succeed: { when: 'its last action ended and none failed', moves: { RUNNING: 'SUCCEEDED' } },
    fail: { when: 'its last action ended and one failed', moves: { RUNNING: 'FAILED' } },
    cancel: { when: 'a user asks to stop', moves: { RUNNING: 'CANCELLING' } },
    cancelled: { when: 'its last action ended after a cancel', moves: { CANCELLING: 'CANCELLED' } },
  },
});

export type RunState = keyof typeof runMachine.states;

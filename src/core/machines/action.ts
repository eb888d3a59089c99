// An action: one unit of computation of a run. A cancel request is a flag beside the state, not a state.
import { defineMachine } from './machine.ts';

export const actionMachine = defineMachine({
  name: 'action',
  about: 'One unit of computation of a run.',
  states: {
    WAITING: 'some input dataset is not there yet',
    READY: 'every input is available and claimed; may be taken (I6)',
    PROCESSING: 'taken by a manager',
    STAGING: 'inputs are being brought to where it will run',
    SUBMITTED: 'handed to the back-end under its attempt key',
    RUNNING: 'the back-end says that it runs',
    DESTAGING: 'outputs are being collected and published',
    FINISHED: 'computed; its dataset is published',
    REUSED: 'its dataset was there, or became there',
    SKIPPED: 'not needed, its condition is false, or a parent failed',
    FAILED: 'every attempt failed',
    KILLED: 'stopped by a cancel',
  },
  initial: ['WAITING', 'READY', 'REUSED', 'SKIPPED'],
  final: ['FINISHED', 'REUSED', 'SKIPPED', 'FAILED', 'KILLED'],
  events: {
    ready: { when: 'its last missing input became available', moves: { WAITING: 'READY' } },
    take: { when: 'a manager takes it by lease', moves: { READY: 'PROCESSING' } },
    stage: { when: 'staging takes a noticeable time', moves: { PROCESSING: 'STAGING' } },
    submit: {
      when: 'its attempt is about to be handed over',
      moves: { PROCESSING: 'SUBMITTED', STAGING: 'SUBMITTED' },
    },
    start: { when: 'the back-end reports a running process', moves: { SUBMITTED: 'RUNNING' } },
    destage: {
      when: 'collecting outputs takes a noticeable time',
      moves: { SUBMITTED: 'DESTAGING', RUNNING: 'DESTAGING' },
    },
    finish: {
      when: 'its dataset is published, or a growing node has grown',
      moves: { PROCESSING: 'FINISHED', SUBMITTED: 'FINISHED', RUNNING: 'FINISHED', DESTAGING: 'FINISHED' },
    },
    reuse: {
      when: 'an equal dataset is there',
      moves: { WAITING: 'REUSED', READY: 'REUSED', PROCESSING: 'REUSED' },
    },
    skip: {
      when: 'it cannot or need not run',
      moves: { WAITING: 'SKIPPED', READY: 'SKIPPED', PROCESSING: 'SKIPPED' },
    },
    retry: {
      when: 'an attempt failed and another is allowed, after a delay',
      moves: {
        PROCESSING: 'READY',
        STAGING: 'READY',
        SUBMITTED: 'READY',
        RUNNING: 'READY',
        DESTAGING: 'READY',
      },
    },
    release: { when: 'its manager gives it back unbegun', moves: { PROCESSING: 'READY', STAGING: 'READY' } },
    wait: {
      when: 'an input dataset was found missing before it was handed over',
      moves: { READY: 'WAITING', PROCESSING: 'WAITING', STAGING: 'WAITING' },
    },
    revive: {
      when: 'its dataset is needed again within the same live run',
      moves: { FINISHED: 'WAITING', REUSED: 'WAITING', SKIPPED: 'WAITING' },
    },
    fail: {
      when: 'its last allowed attempt failed',
      moves: {
        PROCESSING: 'FAILED',
        STAGING: 'FAILED',
        SUBMITTED: 'FAILED',
        RUNNING: 'FAILED',
        DESTAGING: 'FAILED',
      },
    },
    kill: {
      when: 'a cancel took effect',
      moves: {
        WAITING: 'KILLED',
        READY: 'KILLED',
        PROCESSING: 'KILLED',
        STAGING: 'KILLED',
        SUBMITTED: 'KILLED',
        RUNNING: 'KILLED',
        DESTAGING: 'KILLED',
      },
    },
  },
});

export type ActionState = keyof typeof actionMachine.states;
export type ActionEvent = keyof typeof actionMachine.events;

/** States in which an action belongs to the manager that holds its lease. */
export const ownedActionStates = ['PROCESSING', 'STAGING', 'SUBMITTED', 'RUNNING', 'DESTAGING'] as const;
/** States in which an attempt of the action may exist in a back-end. */
export const submittedActionStates = ['SUBMITTED', 'RUNNING', 'DESTAGING'] as const;
/** States in which a run still waits for the action. */
export const liveActionStates = ['WAITING', 'READY', ...ownedActionStates] as const;

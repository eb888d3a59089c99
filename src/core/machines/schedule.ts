// A schedule: starts runs by time. Its lease's expiry is its due time.
import { defineMachine } from './machine.ts';

export const scheduleMachine = defineMachine({
  name: 'schedule',
  about: 'Starts runs by time; due when its lease has run out.',
  states: {
    ACTIVE: 'starts runs when due',
    PAUSED: 'keeps its place, starts nothing',
    ENDED: 'will never start a run again',
  },
  initial: ['ACTIVE', 'PAUSED'],
  final: ['ENDED'],
  events: {
    pause: { when: 'a user pauses it', moves: { ACTIVE: 'PAUSED' } },
    resume: { when: 'a user resumes it', moves: { PAUSED: 'ACTIVE' } },
    end: { when: 'its end date passed or a user removed it', moves: { ACTIVE: 'ENDED', PAUSED: 'ENDED' } },
  },
});

export type ScheduleState = keyof typeof scheduleMachine.states;

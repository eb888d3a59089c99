// How states look and what they are called. A tone is a colour and a glyph: nothing is told by colour alone.

export type Tone = 'wait' | 'ready' | 'run' | 'ok' | 'reuse' | 'skip' | 'fail' | 'stop' | 'keep';

interface Look {
  readonly tone: Tone;
  readonly text: string;
}

const runs: Readonly<Record<string, Look>> = {
  RUNNING: { tone: 'run', text: 'Running' },
  CANCELLING: { tone: 'stop', text: 'Cancelling' },
  SUCCEEDED: { tone: 'ok', text: 'Succeeded' },
  FAILED: { tone: 'fail', text: 'Failed' },
  CANCELLED: { tone: 'stop', text: 'Cancelled' },
};

const actions: Readonly<Record<string, Look>> = {
  WAITING: { tone: 'wait', text: 'Waiting' },
  READY: { tone: 'ready', text: 'Ready' },
  PROCESSING: { tone: 'run', text: 'Preparing' },
  STAGING: { tone: 'run', text: 'Staging' },
  SUBMITTED: { tone: 'run', text: 'Submitted' },
  RUNNING: { tone: 'run', text: 'Running' },
  DESTAGING: { tone: 'run', text: 'Collecting' },
  FINISHED: { tone: 'ok', text: 'Computed' },
  REUSED: { tone: 'reuse', text: 'Reused' },
  SKIPPED: { tone: 'skip', text: 'Skipped' },
  FAILED: { tone: 'fail', text: 'Failed' },
  KILLED: { tone: 'stop', text: 'Stopped' },
};

const datasets: Readonly<Record<string, Look>> = {
  TO_STORE: { tone: 'run', text: 'Being computed' },
  TO_LEAF: { tone: 'run', text: 'Being computed' },
  TO_DELETE: { tone: 'wait', text: 'Not kept' },
  STORED: { tone: 'ok', text: 'Stored' },
  LEAF: { tone: 'keep', text: 'Result' },
  STORED_TO_DELETE: { tone: 'stop', text: 'Given up' },
  PROCESSING: { tone: 'stop', text: 'Being deleted' },
  DELETING: { tone: 'stop', text: 'Being deleted' },
  DELETED: { tone: 'skip', text: 'Deleted' },
};

const workers: Readonly<Record<string, Look>> = {
  ACTIVE: { tone: 'ok', text: 'Active' },
  PAUSED: { tone: 'stop', text: 'Paused' },
  DRAINING: { tone: 'stop', text: 'Draining' },
  GONE: { tone: 'skip', text: 'Left' },
  LOST: { tone: 'fail', text: 'Lost' },
};

const tables = { run: runs, action: actions, dataset: datasets, worker: workers };

export type StateOf = keyof typeof tables;

export function lookOf(of: StateOf, state: string): Look {
  return tables[of][state] ?? { tone: 'wait', text: state.charAt(0) + state.slice(1).toLowerCase() };
}

/** Tones of actions in the order of progress bars. */
export const toneOrder: readonly Tone[] = ['ok', 'reuse', 'run', 'fail', 'stop', 'skip', 'ready', 'wait'];

export const toneText: Readonly<Record<Tone, string>> = {
  ok: 'computed',
  reuse: 'reused',
  run: 'running',
  fail: 'failed',
  stop: 'stopped',
  skip: 'skipped',
  ready: 'ready',
  wait: 'waiting',
  keep: 'results',
};

export const endedRun = (state: string): boolean => ['SUCCEEDED', 'FAILED', 'CANCELLED'].includes(state);
export const endedAction = (state: string): boolean =>
  ['FINISHED', 'REUSED', 'SKIPPED', 'FAILED', 'KILLED'].includes(state);

// A dataset: the output of an action, known by its signature; its row outlives its files.
import { defineMachine } from './machine.ts';

export const datasetMachine = defineMachine({
  name: 'dataset',
  about: 'The output of an action; its row outlives its files.',
  states: {
    TO_STORE: 'being computed; will be STORED',
    TO_LEAF: 'being computed as a result of a run; will be LEAF',
    TO_DELETE: 'being computed only for its consumers; will be STORED_TO_DELETE',
    STORED: 'files are there; may be given up when space is short',
    LEAF: 'files are there and are the result of a run; never given up by the system',
    STORED_TO_DELETE: 'given up; files are there until every claim has ended',
    PROCESSING: 'taken by a dataset manager for deletion',
    DELETING: 'files are being removed',
    DELETED: 'no files; the row remembers how to make them again',
  },
  initial: ['TO_STORE', 'TO_LEAF', 'TO_DELETE', 'STORED'],
  final: ['STORED', 'LEAF', 'DELETED'],
  events: {
    publish: {
      when: 'its attempt succeeded',
      moves: { TO_STORE: 'STORED', TO_LEAF: 'LEAF', TO_DELETE: 'STORED_TO_DELETE' },
    },
    promote: {
      when: 'it is the result of a run',
      moves: { STORED: 'LEAF', STORED_TO_DELETE: 'LEAF', TO_STORE: 'TO_LEAF', TO_DELETE: 'TO_LEAF' },
    },
    demote: {
      when: 'the last run lets go of it as a result',
      moves: { LEAF: 'STORED', TO_LEAF: 'TO_STORE' },
    },
    keep: { when: 'a plan wants to keep what is being computed', moves: { TO_DELETE: 'TO_STORE' } },
    giveUp: { when: 'a decision gives it up', moves: { STORED: 'STORED_TO_DELETE', TO_STORE: 'TO_DELETE' } },
    rescue: { when: 'a plan wants it before deletion began', moves: { STORED_TO_DELETE: 'STORED' } },
    take: {
      when: 'a dataset manager takes it; nothing claims it (I2)',
      moves: { STORED_TO_DELETE: 'PROCESSING' },
    },
    remove: { when: 'removal of its files begins', moves: { PROCESSING: 'DELETING' } },
    removed: { when: 'its files are gone', moves: { DELETING: 'DELETED' } },
    putBack: {
      when: 'removal failed or a claim appeared',
      moves: { PROCESSING: 'STORED_TO_DELETE', DELETING: 'STORED_TO_DELETE' },
    },
    vanish: {
      when: 'its files were found missing or damaged',
      moves: { STORED: 'DELETED', LEAF: 'DELETED', STORED_TO_DELETE: 'DELETED' },
    },
    abandon: {
      when: 'its action failed or was killed, or an equal dataset stands for it',
      moves: { TO_STORE: 'DELETED', TO_LEAF: 'DELETED', TO_DELETE: 'DELETED' },
    },
    restore: { when: 'it is to be computed again', moves: { DELETED: 'TO_STORE' } },
    restoreLeaf: { when: 'it is to be computed again as a result', moves: { DELETED: 'TO_LEAF' } },
    restoreBriefly: {
      when: 'it is to be computed again only for its consumers',
      moves: { DELETED: 'TO_DELETE' },
    },
  },
});

export type DatasetState = keyof typeof datasetMachine.states;
export type DatasetEvent = keyof typeof datasetMachine.events;

/** States in which some live action is computing the dataset: joined, never computed twice (I5). */
export const inFlightDatasetStates = ['TO_STORE', 'TO_LEAF', 'TO_DELETE'] as const;
/** States in which a consumer may read the files. */
export const availableDatasetStates = ['STORED', 'LEAF', 'STORED_TO_DELETE'] as const;
/** States that the dataset manager looks at. */
export const doomedDatasetStates = ['STORED_TO_DELETE', 'PROCESSING', 'DELETING'] as const;

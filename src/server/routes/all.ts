// The handlers of all operations.
import type { AllHandlers } from '../handlers.ts';
import { actionHandlers } from './actions.ts';
import { datasetHandlers } from './datasets.ts';
import { historyHandlers } from './history.ts';
import { runHandlers } from './runs.ts';
import { storageHandlers } from './storage.ts';
import { systemHandlers } from './system.ts';
import { userHandlers } from './users.ts';
import { workerHandlers } from './workers.ts';

export const handlers: AllHandlers = {
  ...runHandlers,
  ...actionHandlers,
  ...datasetHandlers,
  ...storageHandlers,
  ...historyHandlers,
  ...userHandlers,
  ...systemHandlers,
  ...workerHandlers,
};

// The whole contract of the REST API, by group.
import { actionRoutes } from './actions.ts';
import { datasetRoutes } from './datasets.ts';
import { historyRoutes } from './history.ts';
import { runRoutes } from './runs.ts';
import { storageRoutes } from './storage.ts';
import { systemRoutes } from './system.ts';
import { userRoutes } from './users.ts';
import { workerRoutes } from './workers.ts';

export const routeGroups = {
  runs: runRoutes,
  actions: actionRoutes,
  datasets: datasetRoutes,
  storage: storageRoutes,
  history: historyRoutes,
  users: userRoutes,
  system: systemRoutes,
  workers: workerRoutes,
};

export const contract = {
  ...runRoutes,
  ...actionRoutes,
  ...datasetRoutes,
  ...storageRoutes,
  ...historyRoutes,
  ...userRoutes,
  ...systemRoutes,
  ...workerRoutes,
};

export type Contract = typeof contract;
export type OperationName = keyof Contract;

// `varve validate`: every problem of the documents, each with its place.
import type { CommandRun } from '../command-table.ts';
import { reportProblems } from '../report-problems.ts';

export const run: CommandRun<'validate'> = ({ arguments: given }, context) =>
  reportProblems(given.workflow, context);

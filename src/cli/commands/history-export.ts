// `varve history export`: the site's history as lines that the laboratory reads.
import { writeHistory } from '../../lab/history-file.ts';
import { siteHistory } from '../../server/site-history.ts';
import type { CommandRun } from '../command-table.ts';
import { withVarve } from '../session.ts';

export const run: CommandRun<'history export'> = (_, context) =>
  withVarve(context, async (varve) => {
    for (const line of writeHistory(await siteHistory(varve))) context.output.print(line);
    return 0;
  });

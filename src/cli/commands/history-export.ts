// `varve history export`: the site's history as lines that the laboratory reads.
import type { CommandRun } from '../command-table.ts';
import { withApi } from '../session.ts';

export const run: CommandRun<'history export'> = (_, context) =>
  withApi(context, async (api) => {
    const { body } = await api.exportHistory({});
    for await (const piece of body) context.output.write(piece);
    return 0;
  });

// `varve datasets lineage`: draws where a dataset comes from and what came from it.
import type { CommandRun } from '../command-table.ts';
import { drawLineage } from '../draw-lineage.ts';
import { withApi } from '../session.ts';

export const run: CommandRun<'datasets lineage'> = ({ arguments: given, options }, context) =>
  withApi(context, async (api) => {
    const lineage = await api.getLineage({ dataset: given.dataset, direction: options.direction });
    context.output.result({ ...lineage }, () => drawLineage(lineage, options.format));
    return 0;
  });

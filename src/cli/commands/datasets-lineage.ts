// `varve datasets lineage`: draws where a dataset comes from and what came from it.
import { findDataset } from '../../engine/find-dataset.ts';
import { lineageGraph } from '../../engine/lineage-graph.ts';
import type { CommandRun } from '../command-table.ts';
import { drawLineage } from '../draw-lineage.ts';
import { withVarve } from '../session.ts';

export const run: CommandRun<'datasets lineage'> = ({ arguments: given, options }, context) =>
  withVarve(context, async (varve) => {
    const row = await findDataset(varve.store.view, given.dataset);
    const graph = await lineageGraph(varve.store.view, row, options.direction);
    context.output.result(
      {
        root: row.signature,
        datasets: graph.datasets.map(({ signature, name, state }) => ({ signature, name, state })),
        links: graph.links.map(({ from, to, slot }) => ({ from, to, slot })),
      },
      () => drawLineage(graph, options.format),
    );
    return 0;
  });

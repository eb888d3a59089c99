// Reading edges: what a holder waits for or holds, and who waits for or holds a dataset.
import type { StoreView } from '../../core/ports/store.ts';
import type { Session } from '../database.ts';
import { edgeTable } from '../tables.ts';

type EdgeReads = Pick<StoreView, 'edgesOf' | 'edgesOn' | 'edgesOnGrowth'>;

export function readEdges(session: Session): EdgeReads {
  const { dialect } = session;
  return {
    edgesOf: (holder, holderIds) =>
      session.all(
        `select ${edgeTable.select} from edge where holder = $1 and holder_id in ${dialect.list('$2', 'int')}
          order by holder_id, slot, position`,
        [holder, JSON.stringify(holderIds)],
      ),
    edgesOn: (datasetIds) =>
      session.all(
        `select ${edgeTable.select} from edge where dataset_id in ${dialect.list('$1', 'int')}
          and state in ('WAITING', 'HELD') order by holder, holder_id, slot, position`,
        [JSON.stringify(datasetIds)],
      ),
    edgesOnGrowth: (producerIds) =>
      session.all(
        `select ${edgeTable.select} from edge where producer_id in ${dialect.list('$1', 'int')}
          and state = 'WAITING' and dataset_id is null order by holder, holder_id, slot, position`,
        [JSON.stringify(producerIds)],
      ),
  };
}

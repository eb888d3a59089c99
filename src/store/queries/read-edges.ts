// Reading edges: what a holder waits for or holds, and who waits for or holds a dataset.
import type { StoreView } from '../../core/ports/store.ts';
import type { Session } from '../database.ts';
import { oneOf } from '../one-of.ts';
import { edgeTable } from '../tables.ts';

type EdgeReads = Pick<StoreView, 'edgesOf' | 'edgesOn' | 'edgesOnGrowth'>;

const live = oneOf('state', ['WAITING', 'HELD']);

export function readEdges(session: Session): EdgeReads {
  const { among } = session.dialect;
  return {
    edgesOf: (holder, holderIds) =>
      session.all(
        `select ${edgeTable.select} from edge where holder = $1 and ${among('holder_id', '$2', 'int')}
          order by holder_id, slot, position`,
        [holder, holderIds],
      ),
    edgesOn: (datasetIds) =>
      session.all(
        `select ${edgeTable.select} from edge where ${among('dataset_id', '$1', 'int')}
          and ${live} order by holder, holder_id, slot, position`,
        [datasetIds],
      ),
    edgesOnGrowth: (producerIds) =>
      session.all(
        `select ${edgeTable.select} from edge where ${among('producer_id', '$1', 'int')}
          and state = 'WAITING' and dataset_id is null order by holder, holder_id, slot, position`,
        [producerIds],
      ),
  };
}

// Workers: every process that shares the store, and what it is doing now.
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { api, type Item } from '../base/api.ts';
import { useLive } from '../base/live.ts';
import { attempt } from '../base/notices.ts';
import { useResource } from '../base/resource.ts';
import { isAdmin } from '../base/session.ts';
import { confirmed } from '../parts/dialog.tsx';
import { EmptyState } from '../parts/empty-state.tsx';
import { Chips } from '../parts/filters.tsx';
import { PageHead } from '../parts/page-head.tsx';
import { Loading } from '../parts/paged-table.tsx';
import { ProblemNote } from '../parts/problem-note.tsx';
import { StateBadge } from '../parts/state-badge.tsx';
import { type Column, Table } from '../parts/table.tsx';
import { Ago } from '../parts/times.tsx';

type Worker = Item<'listWorkers'>;

const everyMs = 3000;

const columns: readonly Column<Worker>[] = [
  { head: 'Process', cell: (worker) => worker.name },
  { head: 'State', cell: (worker) => <StateBadge of="worker" state={worker.state} /> },
  { head: 'Doing', cell: (worker) => worker.doing ?? <span class="quiet">nothing</span> },
  { head: 'Roles', kind: 'wide', cell: (worker) => worker.roles.join(', ') },
  { head: 'Host', kind: 'wide', cell: (worker) => `${worker.host}, process ${worker.pid}` },
  { head: 'Version', kind: 'extra', cell: (worker) => worker.version },
  { head: 'Since', kind: 'extra', cell: (worker) => <Ago at={worker.joinedAt} /> },
  { head: 'Last heard', kind: 'wide', cell: (worker) => <Ago at={worker.seenAt} /> },
];

const choices = [
  { id: 'live', text: 'Here now' },
  { id: 'all', text: 'Also those that left' },
];

export function WorkersPage() {
  const shown = useSignal('live');
  const workers = useResource(`workers ${shown.value}`, () =>
    api.listWorkers(shown.value === 'all' ? { all: true } : {}),
  );
  useLive(
    (event) => event.kind === 'worker',
    () => workers.soon(),
    shown.value,
  );
  useEffect(() => {
    // Heartbeats and current work change no state, so no event tells of them.
    const timer = setInterval(() => {
      if (!document.hidden) workers.soon();
    }, everyMs);
    return () => clearInterval(timer);
  }, [workers]);
  const items = workers.value.value?.items;
  return (
    <div class="page">
      <PageHead title="Workers" />
      <Chips label="Which" options={choices} chosen={shown.value} onChoose={(id) => (shown.value = id)} />
      {workers.problem.value ? (
        <ProblemNote error={workers.problem.value} again={() => void workers.refresh()} />
      ) : !items ? (
        <Loading />
      ) : items.length === 0 ? (
        <EmptyState title="Nobody works">
          <p>
            Runs wait until a worker takes them. Start one with{' '}
            <code>varve serve --roles manager,worker</code> on a machine that reaches the store.
          </p>
        </EmptyState>
      ) : (
        <Table
          label="Workers"
          rows={items}
          columns={isAdmin.value ? [...columns, orders(workers.soon)] : columns}
          keyOf={(worker) => worker.worker}
        />
      )}
    </div>
  );
}

/** What an administrator may tell a process. */
function orders(done: () => void): Column<Worker> {
  const give = async (worker: Worker, order: 'pause' | 'resume' | 'drain', said: string): Promise<void> => {
    await attempt(() => api.orderWorker({ worker: String(worker.worker), order }), `${worker.name} ${said}`);
    done();
  };
  const drain = async (worker: Worker): Promise<void> => {
    const text = 'It finishes what it has, takes nothing new, and leaves.';
    if (await confirmed(`Drain ${worker.name}?`, text, 'Drain'))
      await give(worker, 'drain', 'leaves when it is done');
  };
  return {
    head: 'Orders',
    width: '1%',
    cell: (worker) => (
      <span class="row-line">
        {worker.state === 'ACTIVE' ? (
          <button
            type="button"
            class="button small"
            onClick={() => give(worker, 'pause', 'takes nothing new')}
          >
            Pause
          </button>
        ) : null}
        {worker.state === 'PAUSED' || worker.state === 'DRAINING' ? (
          <button
            type="button"
            class="button small"
            onClick={() => give(worker, 'resume', 'takes work again')}
          >
            Resume
          </button>
        ) : null}
        {worker.state === 'ACTIVE' || worker.state === 'PAUSED' ? (
          <button type="button" class="button small danger" onClick={() => drain(worker)}>
            Drain
          </button>
        ) : null}
      </span>
    ),
  };
}

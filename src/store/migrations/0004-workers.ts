// What workers on other machines need: demands of actions, what workers offer and are told, and the jobs that are with them.
import type { Migration } from './migration.ts';

export const workers: Migration = {
  number: 4,
  name: 'workers',
  breaking: false,
  statements(dialect) {
    const { int, text } = dialect.types;
    const { thenId, clustered } = dialect;
    return [
      `alter table action add column tags ${text} not null default ''`,
      'drop index action_ready',
      `create index action_ready on action (tags, priority desc, rank${thenId}) where state = 'READY' and lease_until = 0`,

      `alter table worker add column tags ${text} not null default ''`,
      `alter table worker add column session ${text}`,
      `alter table worker add column leave_now ${int} not null default 0`,

      `create table remote_job (
        key ${text} primary key,
        state ${text} not null,
        owner ${text} not null,
        tags ${text} not null,
        travels ${int} not null,
        millicores ${int} not null,
        memory_bytes ${int} not null,
        priority ${int} not null,
        job ${text},
        worker_id ${int},
        cancel_requested ${int} not null default 0,
        queued_at ${int} not null,
        started_at ${int},
        ended_at ${int},
        outcome ${text},
        constraint remote_job_state check (state in ('QUEUED', 'TAKEN', 'ENDED')),
        constraint remote_job_end check ((state = 'ENDED') = (outcome is not null))
      )${clustered}`,
      "create index remote_job_queue on remote_job (tags, priority desc, queued_at) where state = 'QUEUED'",
      "create index remote_job_worker on remote_job (worker_id) where state = 'TAKEN'",
      "create index remote_job_ended on remote_job (ended_at) where state = 'ENDED'",
    ];
  },
};

// What decisions need: the recorded history of runs and deletions, users' rules, notes about runs, the lease of the deciding
// process, and what is left of compacted runs.
import type { Migration } from './migration.ts';

export const decisions: Migration = {
  number: 2,
  name: 'decisions',
  breaking: false,
  statements(dialect) {
    const { key, int, text } = dialect.types;
    return [
      `create table lease (
        name ${text} primary key,
        owner ${text} not null,
        lease_until ${int} not null,
        fence ${int} not null
      )${dialect.clustered}`,
      "insert into lease (name, owner, lease_until, fence) values ('decisions', '', 0, 0), ('compaction', '', 0, 0)",

      `create table history_event (
        seq ${key},
        kind ${text} not null,
        at ${int} not null,
        run_id ${int},
        workflow ${text} not null,
        user_name ${text} not null,
        realm ${text} not null,
        submitted_at ${int} not null,
        datasets ${text} not null,
        results ${text} not null,
        computed ${text} not null,
        forced ${text} not null,
        demanded ${text},
        computed_count ${int} not null,
        reused_count ${int} not null,
        computed_ms ${int} not null,
        saved_ms ${int} not null,
        paid_ms ${int} not null,
        compacted_at ${int},
        constraint history_event_kind check (kind in ('run', 'given-up'))
      )`,
      'create unique index history_event_run on history_event (run_id) where run_id is not null',
      "create index history_event_submitted on history_event (submitted_at) where kind = 'run'",
      "create index history_event_detailed on history_event (at) where kind = 'run' and compacted_at is null",

      `create table keep_rule (
        id ${key},
        effect ${text} not null,
        name ${text},
        user_name ${text},
        at_least_bytes ${int},
        at_most_bytes ${int},
        quota_bytes ${int},
        created_by ${text} not null,
        created_at ${int} not null,
        constraint keep_rule_effect check (effect in ('keep', 'never-keep', 'leaf-quota'))
      )`,
      `create table run_note (
        run_id ${int} not null,
        kind ${text} not null,
        at ${int} not null,
        text ${text} not null,
        primary key (run_id, kind)
      )${dialect.clustered}`,
      `create table action_statistic (
        hour ${int} not null,
        name ${text} not null,
        user_name ${text} not null,
        submitted ${int} not null,
        primary key (hour, name, user_name)
      )${dialect.clustered}`,

      // Everything that a decision looks at each time, so that it never reads the rows themselves.
      `create index dataset_present on dataset (id, state, is_current, managed, keep, nondeterministic, version)
        where state <> 'DELETED'`,
      "create index dataset_deleted on dataset (id) where state = 'DELETED'",
      'create index dataset_generation on dataset (signature, realm) where is_current = 0',
      'create index if not exists run_submitted on run (submitted_at)',
    ];
  },
};

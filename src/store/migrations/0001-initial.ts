// The first schema. Every row that moves along a state machine is a token: state, prior (the state before, so that a check
// constraint can refuse an illegal move), version, owner, lease_until and fence.
import { ownedActionStates } from '../../core/machines/action.ts';
import { machines } from '../../core/machines/all.ts';
import { availableDatasetStates, doomedDatasetStates } from '../../core/machines/dataset.ts';
import { legalPairs, type Machine } from '../../core/machines/machine.ts';
import type { Dialect } from '../database.ts';
import { oneOf } from '../one-of.ts';
import type { Migration } from './migration.ts';

/** The token columns of a machine's table with the constraint that only moves of its table are possible. */
function token(machine: Machine, dialect: Dialect): string {
  const { int, text } = dialect.types;
  const targets = new Map<string, string[]>([['', [...machine.initial]]]);
  for (const [from, to] of legalPairs(machine)) targets.set(from, [...(targets.get(from) ?? []), to]);
  const cases = [...targets].map(([from, to]) => `when '${from}' then ${oneOf('state', to)}`);
  return `state ${text} not null,
    prior ${text} not null default '',
    version ${int} not null default 1,
    owner ${text},
    lease_until ${int} not null default 0,
    fence ${int} not null default 0,
    constraint ${machine.name}_move check (case prior ${cases.join(' ')} else false end)`;
}

export const initial: Migration = {
  number: 1,
  name: 'initial',
  breaking: true,
  statements(dialect) {
    const { key, ownKey, int, real, text } = dialect.types;
    const { thenId, clustered } = dialect;
    const owned = oneOf('state', ownedActionStates);
    return [
      `create table counter (name ${text} primary key, value ${int} not null)${clustered}`,
      `insert into counter (name, value) values
        ('run', 0), ('action', 0), ('dataset', 0), ('attempt', 0), ('worker', 0), ('schedule', 0), ('event', 0),
        ('dispatch', 0)`,

      `create table run (
        id ${key},
        name ${text} not null,
        language ${text} not null,
        user_name ${text} not null,
        realm ${text} not null,
        failure_policy ${text} not null,
        priority ${int} not null default 0,
        submission_key ${text} not null,
        source ${text},
        parameters ${text},
        retry_of ${int},
        submitted_at ${int} not null,
        ended_at ${int},
        error ${text},
        summary ${text},
        ${token(machines.run, dialect)}
      )`,
      'create unique index run_submission on run (submission_key)',
      `create index run_state on run (state${thenId})`,
      `create index run_user on run (user_name${thenId})`,
      `create index run_submitted on run (submitted_at${thenId})`,

      `create table action (
        id ${key},
        run_id ${int} not null,
        key ${text} not null,
        name ${text} not null,
        type ${text} not null,
        node ${text} not null,
        expands ${int} not null default 0,
        result ${int} not null default 0,
        grown_from ${int},
        grown ${text},
        dataset_id ${int},
        signature ${text} not null,
        priority ${int} not null default 0,
        rank ${int} not null default 0,
        attempts ${int} not null default 0,
        lost ${int} not null default 0,
        cancel_requested ${int} not null default 0,
        reason ${text} not null,
        error ${text},
        created_at ${int} not null,
        ready_at ${int},
        started_at ${int},
        ended_at ${int},
        ${token(machines.action, dialect)},
        constraint action_owner check (owner is not null or not ${owned})
      )`,
      'create unique index action_key on action (run_id, key)',
      `create index action_run on action (run_id, state${thenId})`,
      // What may be taken now, in the order of taking; a row that is due later is in the other index until its time has come.
      `create index action_ready on action (priority desc, rank${thenId}) where state = 'READY' and lease_until = 0`,
      "create index action_due on action (lease_until) where state = 'READY' and lease_until > 0",
      `create index action_lease on action (lease_until) where ${owned}`,
      `create index action_owned on action (owner) where ${owned}`,
      `create index action_ended on action (ended_at${thenId}) where ended_at is not null`,
      `create index action_dataset on action (dataset_id${thenId}) where dataset_id is not null`,

      `create table attempt (
        id ${key},
        action_id ${int} not null,
        number ${int} not null,
        key ${text} not null,
        backend ${text} not null,
        handle ${text},
        worker ${text} not null,
        submitted_at ${int} not null,
        started_at ${int},
        ended_at ${int},
        exit_code ${int},
        signal ${text},
        cpu_ms ${int},
        peak_bytes ${int},
        error ${text},
        ${token(machines.attempt, dialect)}
      )`,
      'create unique index attempt_number on attempt (action_id, number)',

      `create table dataset (
        id ${key},
        signature ${text} not null,
        realm ${text} not null,
        is_current ${int} not null default 1,
        definition ${text} not null,
        physical ${text},
        inputs ${text},
        node ${text} not null,
        name ${text} not null,
        producer_id ${int},
        same_as ${int},
        managed ${int} not null default 1,
        keep ${text} not null default 'auto',
        location ${text},
        size_bytes ${int},
        file_count ${int},
        digest ${text},
        value ${text},
        compute_ms ${int},
        cpu_ms ${int},
        uses ${int} not null default 0,
        nondeterministic ${int} not null default 0,
        removal_began_at ${int},
        created_at ${int} not null,
        stored_at ${int},
        used_at ${int},
        deleted_at ${int},
        deleted_reason ${text},
        ${token(machines.dataset, dialect)},
        constraint dataset_files check (
          (location is not null and digest is not null) or not ${oneOf('state', availableDatasetStates)})
      )`,
      'create unique index dataset_signature on dataset (signature, realm) where is_current = 1',
      'create index dataset_physical on dataset (physical) where physical is not null',
      `create index dataset_name on dataset (name${thenId})`,
      'create index dataset_location on dataset (location) where location is not null',
      `create index dataset_doomed on dataset (lease_until${thenId}) where ${oneOf('state', doomedDatasetStates)}`,
      `create index dataset_state on dataset (state${thenId}) where state <> 'DELETED'`,
      // Changes of counts and bytes by state, appended by each transaction and summed up now and then: no row is hot.
      `create table dataset_total (
        id ${ownKey},
        state ${text} not null,
        count ${int} not null,
        bytes ${int} not null
      )`,

      `create table edge (
        holder ${text} not null,
        holder_id ${int} not null,
        slot ${text} not null,
        position ${text} not null,
        dataset_id ${int},
        producer_id ${int},
        optional ${int} not null default 0,
        state ${text} not null,
        expires_at ${int},
        constraint edge_holder check (${oneOf('holder', ['action', 'join', 'run', 'pin', 'download'])}),
        constraint edge_state check (${oneOf('state', ['WAITING', 'HELD', 'RELEASED'])}),
        primary key (holder, holder_id, slot, position)
      )${clustered}`,
      `create index edge_dataset on edge (dataset_id) where ${oneOf('state', ['WAITING', 'HELD'])}`,
      // Whether an action still waits is one probe, however many inputs it has.
      "create index edge_waiting on edge (holder_id) where state = 'WAITING'",
      "create index edge_growth on edge (producer_id) where state = 'WAITING' and dataset_id is null",
      "create index edge_expiry on edge (expires_at) where state = 'HELD' and expires_at is not null",

      `create table lineage (
        dataset_id ${int} not null,
        slot ${text} not null,
        position ${text} not null,
        parent_id ${int} not null,
        primary key (dataset_id, slot, position)
      )${clustered}`,
      'create index lineage_parent on lineage (parent_id, dataset_id)',

      `create table growth (
        signature ${text} not null,
        realm ${text} not null,
        members ${text} not null,
        made_at ${int} not null,
        primary key (signature, realm)
      )${clustered}`,

      `create table journal (
        id ${ownKey},
        at ${int} not null,
        machine ${text} not null,
        entity_id ${int} not null,
        run_id ${int},
        event ${text} not null,
        from_state ${text} not null,
        to_state ${text} not null,
        actor ${text} not null,
        detail ${text}
      )`,
      `create index journal_run on journal (run_id${thenId}) where run_id is not null`,
      `create index journal_dataset on journal (entity_id${thenId}) where machine = 'dataset'`,

      `create table worker (
        id ${key},
        name ${text} not null,
        roles ${text} not null,
        host ${text} not null,
        boot ${text} not null,
        pid ${int} not null,
        process_started ${text} not null,
        program_version ${text} not null,
        capacity ${text},
        doing ${text},
        joined_at ${int} not null,
        seen_at ${int} not null,
        ${token(machines.worker, dialect)}
      )`,
      'create unique index worker_name on worker (name)',
      `create index worker_live on worker (lease_until) where ${oneOf('state', ['ACTIVE', 'PAUSED', 'DRAINING'])}`,

      `create table schedule (
        id ${key},
        name ${text} not null,
        user_name ${text} not null,
        realm ${text} not null,
        timing ${text} not null,
        workflow ${text} not null,
        parameters ${text},
        overrun ${text} not null default 'skip',
        max_running ${int} not null default 1,
        created_at ${int} not null,
        last_fired_at ${int},
        ${token(machines.schedule, dialect)}
      )`,
      'create unique index schedule_name on schedule (realm, name)',
      "create index schedule_due on schedule (lease_until) where state = 'ACTIVE'",

      `create table event (
        id ${key},
        run_id ${int} not null,
        job ${text} not null,
        input ${text} not null,
        attributes ${text},
        created_at ${int} not null,
        consumed_by ${int},
        ${token(machines.event, dialect)}
      )`,
      `create index event_pending on event (run_id, job, input${thenId}) where state = 'PENDING'`,

      `create table file_digest (
        key ${text} primary key,
        sha256 ${text} not null,
        size_bytes ${int} not null,
        seen_at ${int} not null
      )${clustered}`,
      // By these a client whose connection broke during a commit finds out whether it took place.
      `create table commit_mark (client ${text} primary key, number ${int} not null, at ${int} not null)${clustered}`,
      `create table setting (key ${text} primary key, value ${text} not null)${clustered}`,
      `create table cost (
        name ${text} primary key,
        samples ${real} not null,
        mean_ms ${real} not null,
        mean_bytes ${real} not null
      )${clustered}`,
    ];
  },
};

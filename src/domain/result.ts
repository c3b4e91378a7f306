/** A test result and its attempts (docs/api.md, section 2). */
import { isDeepStrictEqual } from 'node:util';
import { fail, invalid } from '../errors.js';
import {
  decideArtifact,
  evolveArtifacts,
  goneWith,
  type Artifact,
  type ArtifactCommand,
} from './artifact.js';
import { differences, type Decider } from './decider.js';
import type { Instant } from './event.js';
import type { EventData, ResultEvent } from './events.js';
import type { Metadata } from './run.js';
import { limits } from '../limits.js';

export const resultStatuses = ['Pending', 'Running', 'Passed', 'Failed', 'Skipped', 'KnownFail'] as const;
export type ResultStatus = (typeof resultStatuses)[number];

/** As counts and Surface B write them. */
export const statusWords = {
  Pending: 'pending',
  Running: 'running',
  Passed: 'passed',
  Failed: 'failed',
  Skipped: 'skipped',
  KnownFail: 'known_fail',
} as const satisfies Record<ResultStatus, string>;
export type StatusWord = (typeof statusWords)[ResultStatus];

export type ResultRecord = {
  test_result_id: string;
  project_id: string;
  test_run_id: string | null;
  test_name: string;
  status: ResultStatus;
  error_message: string | null;
  metadata: Metadata | null;
  started_at: Instant | null;
  finished_at: Instant | null;
  execution_time_ms: number | null;
  attempt: number;
  retry_of: string | null;
  created_at: Instant;
  updated_at: Instant;
};

/** `gone` is deleted, or an id that was given up before a result was recorded under it. */
export type Result = { life: 'none' } | { life: 'gone' } | ({ life: 'present' } & Standing & ResultRecord);

type Standing = {
  claim: RetryClaim | null;
  /** Ordinals of the items that this one superseded where it was submitted with them; absent for none. */
  supersedes?: readonly number[];
  /** In order of creation; absent where there are none. */
  artifacts?: readonly Artifact[];
};

/** Who may retry a result, and since when: it is superseded once that retry is recorded. */
export type RetryClaim = { by: string; at: Instant };

export type Changes = {
  status?: ResultStatus;
  error_message?: string | null;
  metadata?: Metadata | null;
  started_at?: Instant | null;
  finished_at?: Instant | null;
  execution_time_ms?: number | null;
};

export type ResultCommand =
  | { type: 'CreateResult'; at: Instant; data: EventData['ResultCreated'] }
  | { type: 'StartResult'; at: Instant }
  | ({ type: 'FinishResult'; at: Instant } & Pick<Changes, 'status' | 'error_message' | 'metadata'>)
  | { type: 'UpdateResult'; at: Instant; changes: Changes }
  | { type: 'DeleteResult' }
  /** `lapsed`: the retry that holds the claim was never recorded, or is deleted. */
  | { type: 'ClaimRetry'; retry_id: string; lapsed: string | null }
  | { type: 'VoidResult'; result_id: string }
  | ArtifactCommand;

export const result: Decider<Result, ResultCommand, ResultEvent> = {
  initial: { life: 'none' },

  decide(command, state) {
    if (command.type === 'CreateResult') {
      if (state.life !== 'none') fail('write_conflict', 'Another retry took over; try again.');
      mustBeInstants({ started_at: command.data.started_at, finished_at: null }, command.at);
      return [{ type: 'ResultCreated', data: command.data }];
    }
    if (command.type === 'VoidResult') {
      return state.life === 'none' ? [{ type: 'ResultVoided', data: { result_id: command.result_id } }] : [];
    }
    if (state.life !== 'present') {
      // With its result every artifact is gone already.
      if (command.type === 'ExpireArtifact') return [];
      fail('not_found', 'There is no such result.');
    }
    switch (command.type) {
      case 'StartResult': {
        const status = state.status === 'Pending' ? 'Running' : state.status;
        return [{ type: 'ResultStarted', data: { ...turned(state, status), started_at: command.at } }];
      }
      case 'FinishResult': {
        const { status = state.status, at, type: _, ...wanted } = command;
        return [
          {
            type: 'ResultFinished',
            data: {
              ...turned(state, status),
              finished_at: at,
              execution_time_ms: span(state.started_at, at),
              ...differences<Described>(state, wanted, isDeepStrictEqual),
            },
          },
        ];
      }
      case 'UpdateResult': {
        const { status = state.status, ...wanted } = command.changes;
        const changed = differences<Omit<Changes, 'status'>>(state, wanted, isDeepStrictEqual);
        // A finish may stand before a start whose clock was fast: to send back what is there must be no fault.
        if (changed.started_at !== undefined || changed.finished_at !== undefined) {
          mustBeInstants({ ...state, ...changed }, command.at, changed);
        }
        if (status === state.status && Object.keys(changed).length === 0) return [];
        return [{ type: 'ResultUpdated', data: { ...turned(state, status), ...changed } }];
      }
      case 'DeleteResult': {
        const { previous_status: status, status: _, ...ids } = turned(state, state.status);
        const { retry_of, supersedes } = state;
        const data = { ...ids, status, retry_of, ...(supersedes && { supersedes: [...supersedes] }) };
        return [...goneWith(state), { type: 'ResultDeleted', data }];
      }
      case 'ClaimRetry': {
        if (state.claim?.by === command.retry_id) return [];
        if (state.claim !== null && state.claim.by !== command.lapsed) {
          fail('already_superseded', `The result was retried already, by ${state.claim.by}.`);
        }
        const { previous_status: _, status: __, ...ids } = turned(state, state.status);
        return [{ type: 'ResultRetryClaimed', data: { ...ids, retry_id: command.retry_id } }];
      }
      case 'CreateArtifact':
      case 'ConfirmArtifact':
      case 'DeleteArtifact':
      case 'ExpireArtifact':
        return decideArtifact(command, state);
    }
  },

  evolve(state, event) {
    if (event.type === 'ResultCreated') return created(event);
    if (event.type === 'ResultSubmitted') return submitted(event);
    if (event.type === 'ResultVoided') return { life: 'gone' };
    if (state.life !== 'present') return state;
    switch (event.type) {
      case 'ResultStarted':
        return changed(state, event, { finished_at: null, execution_time_ms: null });
      case 'ResultFinished':
      case 'ResultUpdated':
        return changed(state, event, event.data);
      case 'ResultDeleted':
        return { life: 'gone' };
      case 'ResultRetryClaimed':
        return { ...state, claim: { by: event.data.retry_id, at: event.meta.at } };
      case 'ArtifactCreated':
      case 'ArtifactConfirmed':
      case 'ArtifactDeleted':
        return evolveArtifacts(state, event);
      default:
        return state;
    }
  },
};

type Present = Extract<Result, { life: 'present' }>;
type Described = Pick<Changes, 'error_message' | 'metadata'>;

function created({ data, meta }: { data: EventData['ResultCreated']; meta: { at: Instant } }): Present {
  return {
    life: 'present',
    claim: null,
    test_result_id: data.result_id,
    project_id: data.project_id,
    test_run_id: data.run_id,
    test_name: data.test_name,
    status: data.status,
    error_message: null,
    metadata: data.metadata,
    started_at: data.started_at,
    finished_at: null,
    execution_time_ms: null,
    attempt: data.attempt,
    retry_of: data.retry_of,
    created_at: meta.at,
    updated_at: meta.at,
  };
}

type Submitted = { data: EventData['ResultSubmitted']; meta: { at: Instant } };

/** Whole at once: it was over before it was told of. */
function submitted({ data, meta }: Submitted): Present {
  const { superseded_by, supersedes } = data;
  return {
    life: 'present',
    claim: superseded_by === null ? null : { by: superseded_by, at: meta.at },
    ...(supersedes.length > 0 && { supersedes }),
    test_result_id: data.result_id,
    project_id: data.project_id,
    test_run_id: data.run_id,
    test_name: data.test_name,
    status: data.status,
    error_message: data.error_message,
    metadata: data.metadata,
    started_at: data.started_at,
    finished_at: data.finished_at,
    execution_time_ms: data.execution_time_ms,
    attempt: data.attempt,
    retry_of: null,
    created_at: meta.at,
    updated_at: meta.at,
  };
}

type Changed = { data: { status: ResultStatus; started_at?: Instant | null }; meta: { at: Instant } };

/** Field by field: a rebuild comes through here for every event, and copying by name is several times as slow. */
function changed(state: Present, { data, meta }: Changed, more: Changes): Present {
  const next = { ...state, status: data.status, updated_at: meta.at };
  if (data.started_at !== undefined) next.started_at = data.started_at;
  if (more.finished_at !== undefined) next.finished_at = more.finished_at;
  if (more.execution_time_ms !== undefined) next.execution_time_ms = more.execution_time_ms;
  if (more.error_message !== undefined) next.error_message = more.error_message;
  if (more.metadata !== undefined) next.metadata = more.metadata;
  return next;
}

/** What each change of a result carries, so that a fold never asks for more. */
function turned(state: ResultRecord, status: ResultStatus) {
  return {
    result_id: state.test_result_id,
    project_id: state.project_id,
    run_id: state.test_run_id,
    previous_status: state.status,
    status,
  };
}

/** From start to finish in whole milliseconds; null where never started or where it does not fit. */
function span(started: Instant | null, finished: Instant): number | null {
  if (started === null) return null;
  const ms = Date.parse(finished) - Date.parse(started);
  return ms >= 0 && ms <= limits.executionTimeMs ? ms : null;
}

/** @throws LedgerError `validation_failed`. `sent` tells which of the two a client has to be told about. */
export function mustBeInstants(
  { started_at, finished_at }: { started_at: Instant | null; finished_at: Instant | null },
  now: Instant,
  sent: { finished_at?: Instant | null } = {},
): void {
  if (started_at !== null && Date.parse(started_at) > Date.parse(now) + limits.startAheadMs) {
    invalid('/started_at', 'too_late', 'must not be more than a day ahead');
  }
  if (started_at !== null && finished_at !== null && finished_at < started_at) {
    const pointer = sent.finished_at === undefined ? '/started_at' : '/finished_at';
    invalid(pointer, 'out_of_order', 'finished_at must not be before started_at');
  }
}

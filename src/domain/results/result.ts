/** A test result, its retries and its artifacts (docs/api.md, section 2). */
import { isDeepStrictEqual } from 'node:util';
import { fail } from '../../errors.js';
import {
  decideArtifact,
  deleteAllArtifacts,
  evolveArtifacts,
  type ArtifactCommand,
} from '../artifact/artifact.js';
import { hasContents, heldAfter, refsAfter, refsIn, withoutContents } from '../contents.js';
import { differences, type Decider, type Happened } from '../decider.js';
import type { Instant } from '../event.js';
import type { EventData, Fact, ResultEvent } from '../events.js';
import {
  contextAfter,
  factsOfChange,
  factsOfDeletion,
  groupOfFailed,
  type BeginningFacts,
} from '../test-history/result-facts.js';
import { mustBePresent, none } from '../life.js';
import { checkInstants, executionTime } from './result-instants.js';
import { limits } from '../../limits.js';
import { created, submitted } from './begun-result.js';
import {
  isFinal,
  type PresentResult,
  type Result,
  type ResultRecord,
  type ResultStatus,
} from './result-record.js';

export * from './result-record.js';

/** Those of its event, so that a new field is one of them. */
export type Changes = Partial<Omit<EventData['ResultUpdated'], ChangeIds | 'previous_status' | 'contents'>>;

type ChangeIds = 'result_id' | 'project_id' | 'run_id' | 'test_name';

export type ResultCommand =
  | { type: 'CreateResult'; at: Instant; data: EventData['ResultCreated']; facts?: BeginningFacts }
  /** Gives up an id under which nothing is recorded yet. */
  | { type: 'VoidResult'; result_id: string }
  | { type: 'StartResult'; at: Instant }
  | ({ type: 'FinishResult'; at: Instant } & Pick<Changes, 'status' | FinishDetail>)
  | { type: 'UpdateResult'; at: Instant; changes: Changes }
  /** `replaces`: results of lower attempts of the shard that came later, and that the result replaces as well. */
  | { type: 'DeleteResult'; replaces?: readonly string[] }
  /** Changes nothing in a result that is redacted. */
  | { type: 'RedactResult'; reason: string }
  /** `lapsed`: the id of a claim that counts no more, since its retry was never recorded or is deleted. */
  | { type: 'ClaimRetry'; retry_id: string; lapsed: string | null }
  | ArtifactCommand;

/** Those of its event that the finish itself does not set. */
type FinishDetail = Exclude<
  keyof EventData['ResultFinished'],
  ChangeIds | 'previous_status' | 'status' | 'finished_at' | 'execution_time_ms' | 'contents'
>;

type CommandOf<T extends ResultCommand['type']> = Extract<ResultCommand, { type: T }>;

export const result: Decider<Result, ResultCommand, ResultEvent> = {
  initial: none,

  decide(command, state) {
    switch (command.type) {
      case 'CreateResult':
        return [create(state, command)];
      case 'VoidResult':
        return state.life === 'none'
          ? [{ type: 'ResultVoided', data: { result_id: command.result_id } }]
          : [];
      case 'StartResult':
        return withFacts(state, command.at, [start(mustTakeChanges(state), command)]);
      case 'FinishResult':
        return withFacts(state, command.at, [finish(mustTakeChanges(state), command)]);
      case 'UpdateResult':
        return withFacts(state, command.at, update(mustTakeChanges(state), command));
      case 'DeleteResult':
        return remove(mustBePresent(state, 'result'), command);
      case 'RedactResult':
        return redact(mustBePresent(state, 'result'), command);
      case 'ClaimRetry':
        return claimRetry(mustBePresent(state, 'result'), command);
      case 'RedactArtifacts':
      case 'ExpireArtifact':
        // The deletion of a result deletes its artifacts.
        return state.life === 'present' ? decideArtifact(command, state) : [];
      case 'CreateArtifacts':
        return decideArtifact(command, mustTakeChanges(state));
      case 'ConfirmArtifacts':
      case 'DeleteArtifact':
        return decideArtifact(command, mustBePresent(state, 'result'));
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
      case 'ResultRedacted':
        return { ...withoutContents(state), redacted_at: event.meta.at };
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

  most: { events: limits.eventsPerStream, isExempt: (command, state) => endsSomething(command, state) },
};

/** Whether a command deletes or redacts the result, ends it for the first time, or ends the wait for one of its artifacts. */
function endsSomething(command: ResultCommand, state: Result): boolean {
  switch (command.type) {
    case 'DeleteResult':
    case 'RedactResult':
    case 'ConfirmArtifacts':
    case 'DeleteArtifact':
    case 'RedactArtifacts':
    case 'ExpireArtifact':
      return true;
    case 'FinishResult':
      return isEnd(state, command.status);
    case 'UpdateResult':
      return isEnd(state, command.changes.status);
    default:
      return false;
  }
}

function isEnd(state: Result, status: ResultStatus | undefined): boolean {
  return state.life === 'present' && !isFinal(state.status) && status !== undefined && isFinal(status);
}

/** With what the data leave out. */
function withFacts(before: Result, at: Instant, changes: Fact<ResultEvent>[]): Fact<ResultEvent>[] {
  return changes.map((change) => {
    const after = result.evolve(before, { ...change, meta: { at } });
    const facts =
      before.life === 'present' && after.life === 'present' ? factsOfChange(before, after, at) : undefined;
    return facts === undefined ? change : { ...change, facts };
  });
}

function create(state: Result, { at, data, facts = {} }: CommandOf<'CreateResult'>): Fact<ResultEvent> {
  if (state.life !== 'none') fail('write_conflict', 'Another retry took over. Try again.');
  checkInstants({ started_at: data.started_at, finished_at: null }, at);
  const { project_id, test_name, status, metadata } = data;
  const group = groupOfFailed({ project_id, test_name, status, metadata, error_message: null });
  const all: BeginningFacts = group === null ? facts : { ...facts, group };
  return { type: 'ResultCreated', data, ...(Object.keys(all).length > 0 && { facts: all }) };
}

function start(present: PresentResult, { at }: CommandOf<'StartResult'>): Fact<ResultEvent> {
  const status = present.status === 'Pending' ? 'Running' : present.status;
  return { type: 'ResultStarted', data: { ...statusChange(present, status), started_at: at } };
}

function finish(
  present: PresentResult,
  { type: _, at, status = present.status, ...wanted }: CommandOf<'FinishResult'>,
): Fact<ResultEvent> {
  const data = {
    ...statusChange(present, status),
    test_name: present.test_name,
    finished_at: at,
    execution_time_ms: executionTime(present.started_at, at),
    ...differences<Pick<Changes, FinishDetail>>(present, wanted, isDeepStrictEqual),
  };
  return { type: 'ResultFinished', data };
}

function update(
  present: PresentResult,
  { at, changes: { status = present.status, ...wanted } }: CommandOf<'UpdateResult'>,
): Fact<ResultEvent>[] {
  const changed = differences<Omit<Changes, 'status'>>(present, wanted, isDeepStrictEqual);
  // A stored finish may lie before a start that came from a fast clock. A client may send both back unchanged.
  if (changed.started_at !== undefined || changed.finished_at !== undefined) {
    checkInstants({ ...present, ...changed }, at, changed);
  }
  if (status === present.status && Object.keys(changed).length === 0) return [];
  const data = { ...statusChange(present, status), test_name: present.test_name, ...changed };
  return [{ type: 'ResultUpdated', data }];
}

function remove(
  present: PresentResult,
  { replaces: later = [] }: CommandOf<'DeleteResult'>,
): Fact<ResultEvent>[] {
  const { status, retry_of, supersedes } = present;
  const replaces = [...(present.replaces ?? []), ...later];
  const data = {
    ...idsOf(present),
    status,
    retry_of,
    ...(supersedes && { supersedes: [...supersedes] }),
    ...(replaces.length > 0 && { replaces }),
  };
  return [
    ...deleteAllArtifacts(present, 'result_deleted'),
    { type: 'ResultDeleted', data, facts: factsOfDeletion(present) },
  ];
}

/** What is redacted stays so: new texts belong to a new result. @throws AppError `not_found`, `redacted` */
function mustTakeChanges(state: Result): PresentResult {
  const present = mustBePresent(state, 'result');
  if (present.redacted_at !== undefined) failRedacted();
  return present;
}

/** @throws AppError `redacted` */
export function failRedacted(): never {
  return fail('redacted', 'The result is redacted. It takes no more changes.');
}

function redact(present: PresentResult, { reason }: CommandOf<'RedactResult'>): Fact<ResultEvent>[] {
  if (present.redacted_at !== undefined) return [];
  const { error_message, metadata, contents } = present;
  const had = {
    error_message: error_message !== null || contents?.error_message !== undefined,
    metadata: hasContents({ metadata }) || contents?.error !== undefined || contents?.more !== undefined,
    artifacts: present.artifacts !== undefined,
  };
  const fields = redactable.filter((field) => had[field]);
  const redacted = { type: 'ResultRedacted', data: { ...idsOf(present), reason, fields } } as const;
  return [...deleteAllArtifacts(present, 'redacted'), redacted];
}

const redactable = ['error_message', 'metadata', 'artifacts'] as const;

function claimRetry(
  present: PresentResult,
  { retry_id, lapsed }: CommandOf<'ClaimRetry'>,
): Fact<ResultEvent>[] {
  const { claim } = present;
  if (claim?.by === retry_id) return [];
  if (claim !== null && claim.by !== lapsed) {
    fail('already_superseded', `The result was retried already, by ${claim.by}.`);
  }
  return [{ type: 'ResultRetryClaimed', data: { ...idsOf(present), retry_id } }];
}

type Changed = {
  data: Pick<EventData['ResultUpdated'], 'previous_status' | 'status' | 'started_at'>;
  meta: Happened<'ResultUpdated'>['meta'];
};

/** Field by field: a rebuild calls this for every event, and a copy by name takes several times as long. */
function changed(state: PresentResult, { data, meta }: Changed, more: Changes): PresentResult {
  const next = { ...state, status: data.status, updated_at: meta.at };
  if (data.started_at !== undefined) next.started_at = data.started_at;
  if (more.finished_at !== undefined) next.finished_at = more.finished_at;
  if (more.execution_time_ms !== undefined) next.execution_time_ms = more.execution_time_ms;
  if (more.error_message !== undefined) next.error_message = more.error_message;
  if (more.metadata !== undefined) next.metadata = more.metadata;
  const contents = refsAfter(state.contents, more, refsIn(meta));
  if (contents !== undefined) next.contents = contents;
  else delete next.contents;
  const held = heldAfter(state, contents, meta);
  if (held !== undefined) next.held = held;
  if (next.context !== undefined && isFinal(data.status)) {
    next.context = contextAfter(next.context, next.metadata, data.status !== data.previous_status);
  }
  return next;
}

function idsOf({ test_result_id: result_id, project_id, test_run_id: run_id }: ResultRecord) {
  return { result_id, project_id, run_id };
}

/** The fields of every change of a result: they spare a fold another look at the result. */
function statusChange(present: ResultRecord, status: ResultStatus) {
  return { ...idsOf(present), previous_status: present.status, status };
}

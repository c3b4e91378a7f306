/**
 * What an event of a result changes in the history of its test. It follows from the event alone: what the data of a
 * later event leave out, the decider has put beside them (`result-facts.ts`), so a fold reads no stream.
 */
import type { Instant, RecordedEvent } from '../event.js';
import type { LedgerEvent } from '../events.js';
import { isFinal, type ResultRecord } from '../results/result.js';
import type { RunResult } from '../comparison/packed-line.js';
import { attemptInRun } from './attempt-in-run.js';
import { packedTags } from './packed-tags.js';
import {
  entryFrom,
  type BeginningFacts,
  type FailureGroup,
  type Listed,
  type ResultFacts,
} from './result-facts.js';
import type { FinalStatus, TestEntry } from './test-entry.js';
import { testIdOf } from './test.js';

export type HistoryChange = {
  /** Present on an event that sets a final status of a result, or deletes a result that had one. */
  change?: ResultChange;
  /** In place of `change`, where tests have no history in a fold: what the run shows of results from this one on. */
  lines?: readonly RunResult[];
  /** Present on an event that leaves a result failed with another error: its failure may belong to another group. */
  regrouped?: FailedResult;
};

export type HistoryEvent = LedgerEvent & HistoryChange;

/** The history in which a result has an entry, on which branch, and in which environment. */
export type EntryPlace = { test_id: string } & ListedEntry;

type ListedEntry = Required<Listed>;

export type ChangedResult = Pick<
  ResultRecord,
  'test_result_id' | 'project_id' | 'test_run_id' | 'test_name' | 'attempt' | 'status' | 'execution_time_ms'
>;

export type FailedResult = { test_id: string; result: ChangedResult; group: FailureGroup };

/** A change of a result that changes the history of its test. */
export type ResultChange = {
  test_id: string;
  /** The result after the event; for a deletion, the result before it. */
  result: ChangedResult;
  /** When the result ran (`ranAt`): its failures and passes are of this moment, whenever they were recorded. */
  ran_at: Instant;
  /** Whose test it is, as the result says it with its final status. */
  owner: string | null;
  /** Its tags, as it says them with its final status: packed, so that a fold compares them as one value. Null without any. */
  tags: string | null;
  /** The entry that the event adds to the history of the test; null for a deletion. */
  entry: TestEntry | null;
  /** The entry that the result had before, by its branch; null where it had none. */
  former: ListedEntry | null;
  /** The group of the failure; null unless the entry failed. */
  group: FailureGroup | null;
  /** Its file and suite (`suiteHash`), as the result says them with its final status; empty without both. */
  suite: string;
};

/** The event with what it changes. */
export function historyEvent(recorded: RecordedEvent): HistoryEvent {
  const event = recorded as LedgerEvent;
  switch (event.type) {
    case 'ResultCreated':
    case 'ResultSubmitted':
      return isFinal(event.data.status) ? withChange(event, changeOf(event, beginning(event))) : event;
    case 'ResultStarted':
    case 'ResultFinished':
    case 'ResultUpdated':
    case 'ResultDeleted': {
      const facts = event.meta.facts as ResultFacts | undefined;
      return facts === undefined ? event : withChange(event, changeOf(event, facts));
    }
    default:
      return event;
  }
}

/**
 * Written out, because nearly every event of a result gets a change (docs/decisions/033): a new field of `RecordedEvent` must
 * be added here. The cast: TypeScript does not see that `type` and `data` still belong together.
 */
function withChange(event: LedgerEvent, more: HistoryChange): HistoryEvent {
  const { id, type, version, data, meta, stream, revision, position } = event;
  const { change, regrouped } = more;
  const next = { id, type, version, data, meta, stream, revision, position, change, regrouped };
  return next as HistoryEvent;
}

type Beginning = LedgerEvent<'ResultCreated' | 'ResultSubmitted'>;
type Later = LedgerEvent<'ResultStarted' | 'ResultFinished' | 'ResultUpdated' | 'ResultDeleted'>;

/** The facts of a result that begins with a final status: its meta have what does not follow from its data. */
function beginning({ data, meta }: Beginning): ResultFacts {
  const { test_name, attempt } = data;
  const { execution_time_ms, finished_at } = 'finished_at' in data ? data : unfinished;
  const {
    shard_attempt,
    environment: run_environment = '',
    group,
    test_id,
  } = (meta.facts ?? {}) as BeginningFacts;
  const { run_branch, run_commit } = data;
  const context = { run_branch, run_commit, run_environment };
  const facts: ResultFacts = {
    test_name,
    attempt,
    execution_time_ms,
    entry: entryFrom({ ...data, finished_at }, context, meta.at),
  };
  if (shard_attempt !== undefined) facts.shard_attempt = shard_attempt;
  if (group !== undefined) facts.group = group;
  if (test_id !== undefined) facts.test_id = test_id;
  return facts;
}

const unfinished = { execution_time_ms: null, finished_at: null };

function changeOf({ type, data, meta }: Beginning | Later, facts: ResultFacts): HistoryChange {
  const { test_name, attempt, execution_time_ms, shard_attempt = null, entry, group = null } = facts;
  const former = facts.former === undefined ? null : { environment: '', ...facts.former };
  // The facts of a change that says nothing to the history have no name.
  if (type === 'ResultDeleted' ? former === null : entry === undefined && group === null) return {};
  const { result_id, run_id, project_id, status } = data;
  const { test_id = testIdOf(project_id, test_name) } = facts;
  const result = {
    test_result_id: result_id,
    test_run_id: run_id,
    project_id,
    test_name,
    attempt,
    status,
    execution_time_ms,
  };
  if (type === 'ResultDeleted') {
    const none = { owner: null, tags: null, entry: null, group: null, suite: '' };
    return { change: { test_id, result, ran_at: meta.at, former, ...none } };
  }
  if (entry === undefined) return group === null ? {} : { regrouped: { test_id, result, group } };
  const { branch, environment = '', commit, owner, ran_at, suite = '' } = entry;
  const tags = entry.tags === undefined ? null : packedTags(entry.tags);
  const listed: TestEntry = {
    result_id,
    run_id,
    attempt: attemptInRun(attempt, shard_attempt),
    branch,
    environment,
    commit,
    status: status as FinalStatus,
    again: former !== null,
  };
  return { change: { test_id, result, ran_at, owner, tags, entry: listed, former, group, suite } };
}

/**
 * The messages and the histories of tests that must follow from a history of events, looked up in the whole history
 * for each event: slow, plain, and written from the contract.
 */
import type { LedgerEvent } from '../../../src/domain/events.js';
import { anchorOf, groupIdOf } from '../../../src/domain/failures/anchor.js';
import { understoodResult } from '../../../src/domain/understood.js';
import { environmentOf as pairsOf, resultEnvironment } from '../../../src/domain/environment.js';
import { bulkOriginOf } from '../../../src/domain/ids.js';
import { statusWords, type ResultStatus } from '../../../src/domain/results/result.js';
import { eventIdOf, testIdOf, transitionId } from '../../../src/domain/test-history/test.js';
import type { FinalStatus, TestEntry } from '../../../src/domain/test-history/test-entry.js';
import type { Transition } from '../../../src/domain/test-history/test-history.js';
import { emptyModel, modelWith, modelWithout, type Model } from '../../domain/test-history/model.js';
import { modelOf } from '../../projections/model.js';
import {
  countsAt,
  isKnown,
  lastKnownFailure,
  projectAt,
  resultAt,
  runAt,
  targetsOf,
} from './expected-records.js';
import { defaultBranchOf, expectedVerdict, type FinalResult } from './expected-verdicts.js';

export type ExpectedMessage = {
  type: string;
  event_id: string;
  subject: string;
  at: string;
  targets: string[];
  data(): unknown;
};

export type Test = {
  name: string;
  entries: (FinalResult & { branch: string | null; environment: string; placed: string })[];
  /** By environment. */
  lines: Map<string, Line>;
};

/** `passes`: the durations of its passes on the default branch, newest first. */
type Line = { model: Model; passes: number[] };

/** That of the call which submitted the result, or the one that it retries; 1 without shards. */
function shardAttemptOf(resultId: string, events: readonly LedgerEvent[]): number {
  const submission = bulkOriginOf(resultId)?.submission_id;
  for (const { type, data } of events) {
    if (type === 'ItemsSubmitted' && data.submission_id === submission) return data.shard?.attempt ?? 1;
    if (type === 'ResultCreated' && data.result_id === resultId && data.retry_of !== null)
      return shardAttemptOf(data.retry_of, events);
  }
  return 1;
}

type Change = LedgerEvent<
  'ResultCreated' | 'ResultSubmitted' | 'ResultStarted' | 'ResultFinished' | 'ResultUpdated'
>;

export function expectedOf(events: readonly LedgerEvent[]): {
  messages: ExpectedMessage[];
  tests: Map<string, Test>;
} {
  const tests = new Map<string, Test>();
  const messages: ExpectedMessage[] = [];
  events.forEach((event, index) => {
    const { type, data, meta, id } = event;
    const until = events.slice(0, index + 1);
    const { project_id: project = '' } = data as { project_id?: string };
    const tell = (message: string, uuid: string, subject: string, show: () => unknown) =>
      messages.push({
        type: message,
        event_id: eventIdOf(uuid),
        subject,
        at: meta.at,
        targets: targetsOf(until, { team: meta.team_id, type: message, project }),
        data: show,
      });
    if (type === 'RunCompleted') {
      const finals = new Map(
        [...tests].map(([id, { name, entries }]) => [id, { name, results: entries }] as const),
      );
      tell('run.completed', id, data.run_id, () => {
        const views = modelOf(until);
        const verdict = expectedVerdict(data.run_id, until, views, finals);
        return {
          run: runAt(views, data.run_id),
          completion: data.completion,
          project: projectAt(views, data.project_id),
          ...verdict,
        };
      });
      return;
    }
    if (type === 'WebhookPinged') {
      tell('webhook.ping', id, eventIdOf(id), () => ({ webhook_id: data.webhook_id }));
      messages.at(-1)!.targets = [data.webhook_id];
      return;
    }
    if (type === 'KnownFailureSet' || type === 'KnownFailureEnded') {
      const { test_id, test_name: name, project_id } = data;
      const message = type === 'KnownFailureSet' ? 'known_failure.set' : 'known_failure.ended';
      tell(message, id, test_id, () => ({
        test: { id: test_id, name, project_id },
        known_failure: lastKnownFailure(until, test_id),
        project: projectAt(modelOf(until), project_id),
        ...(type === 'KnownFailureEnded' && { ended: data.ended }),
      }));
      return;
    }
    if (type === 'ResultDeleted') {
      for (const test of tests.values()) {
        removeEntry(test, data.result_id);
      }
      return;
    }
    if (!isChange(event)) return;
    const changed: Change = event;
    const own = until.filter(
      (each): each is Change => isChange(each) && each.data.result_id === changed.data.result_id,
    );
    const birth = own[0]!.data as LedgerEvent<'ResultCreated' | 'ResultSubmitted'>['data'];
    const environmentAfter = (changes: readonly Change[]) => environmentOf(own[0]!, changes);
    const isMoved =
      own.slice(0, -1).some(setsFinalStatus) &&
      !setsFinalStatus(changed) &&
      isFinal(changed) &&
      wasListedIn(tests, changed) !== environmentAfter(own);
    if (!setsFinalStatus(changed) && !isMoved) return;
    const { result_id } = event.data;
    const metadata = own.findLast((each) => 'metadata' in each.data)!.data as {
      metadata?: Record<string, unknown> | null;
    };
    const textOf = (name: string) =>
      typeof metadata.metadata?.[name] === 'string' ? metadata.metadata[name] : null;
    const status = event.data.status as FinalStatus;
    const entry: TestEntry = {
      result_id,
      run_id: birth.run_id,
      // Any attempt of the shard comes after the lower ones.
      attempt: 1_000 * shardAttemptOf(result_id, until) + birth.attempt,
      branch: textOf('branch') ?? birth.run_branch,
      environment: environmentAfter(own),
      commit: (textOf('commit') ?? birth.run_commit) || null,
      status,
      again: own.slice(0, -1).some(setsFinalStatus),
    };
    const test_id = testIdOf(birth.project_id, birth.test_name);
    const test = tests.get(test_id) ?? {
      name: birth.test_name,
      entries: [],
      lines: new Map(),
    };
    tests.set(test_id, test);
    if (wasListedIn(tests, changed) !== entry.environment) removeEntry(test, result_id);
    const { environment } = entry;
    const line: Line = test.lines.get(environment) ?? { model: emptyModel, passes: [] };
    test.lines.set(environment, line);
    const before = test.entries.findLast(
      (each) =>
        each.result_id !== result_id &&
        each.branch === entry.branch &&
        each.environment === environment &&
        /^(passed|failed)$/.test(each.word),
    );
    const failure = { test_id, branch: entry.branch, environment, at: meta.at };
    const known = status === 'Failed' && isKnown(until, failure);
    const known_elsewhere = status === 'Failed' && !known && isKnown(until, failure, true);
    const isRecovery = status === 'Passed' && !entry.again && before?.word === 'failed';
    const { model, transitions: flakiness } = modelWith(line.model, entry);
    const transitions: Transition[] = [
      ...(isRecovery ? [{ type: 'TestRecovered' as const, failure: before.result_id }] : []),
      ...flakiness,
    ];
    line.model = model;
    const ms = status === 'Passed' ? durationOf(own) : null;
    const slower =
      ms !== null &&
      line.passes.length > 0 &&
      ms > (5 * line.passes.reduce((sum, one) => sum + one, 0)) / line.passes.length &&
      line.passes.every((one) => ms > one);
    const onDefault = entry.branch === defaultBranchOf(until, birth.project_id);
    if (ms !== null && onDefault && !entry.again) line.passes = [ms, ...line.passes].slice(0, 20);
    const flaky = model.state === 'flaky';
    test.entries = [
      ...test.entries.filter((each) => each.result_id !== result_id),
      {
        result_id,
        branch: entry.branch,
        environment,
        placed: event.position,
        word: statusWords[status],
        known,
        known_elsewhere,
        flaky,
        slower,
      },
    ];
    // No reader sees a part of a submission: its run is shown as it is once it is complete.
    const call = until.findLast(
      (each) => isCall(each) && 'run_id' in each.data && each.data.run_id === birth.run_id,
    );
    const last = call?.type === 'ItemsSubmitted' ? 'ItemsReceived' : 'RunCompleted';
    const end = events.findIndex(
      (each, at) => at > index && each.type === last && each.data.run_id === birth.run_id,
    );
    const seen = type === 'ResultSubmitted' ? events.slice(0, end + 1) : until;
    // Where the items replace others, they are counted one by one.
    const counted =
      type === 'ResultSubmitted' && call?.type === 'ItemsSubmitted' && call.data.replaced > 0 ? until : seen;
    const common = (views = modelOf(seen)) => ({
      result: resultAt(views, result_id),
      run:
        birth.run_id === null ? null : { ...runAt(views, birth.run_id), ...countsAt(counted, birth.run_id) },
      project: projectAt(views, birth.project_id),
    });
    if (status === 'Failed' && !isMoved && !isSuperseded(event, until)) {
      const { error_message = null } = (own.findLast((each) => 'error_message' in each.data)?.data ?? {}) as {
        error_message?: string | null;
      };
      const { kind, title, ...anchor } = anchorOf(
        understoodResult(metadata.metadata ?? null, error_message),
        birth.test_name,
      );
      const group = { id: groupIdOf(birth.project_id, { kind, title, ...anchor }), kind, title };
      tell('test.failed', id, test_id, () => ({ ...common(), group, known }));
    }
    for (const transition of transitions) {
      const uuid = transitionId(test_id, id, transition.type);
      if (transition.type === 'TestRecovered') {
        tell('test.recovered', uuid, test_id, () => {
          const views = modelOf(seen);
          const shown = pairsOf(environment);
          return { ...common(views), environment: shown, failure: resultAt(views, transition.failure) };
        });
      } else if (transition.type === 'TestBecameFlaky') {
        const { rule, evidence } = transition;
        const { project_id, test_name: name } = birth;
        tell('test.flaky', uuid, test_id, () => ({
          test: { id: test_id, name, project_id },
          environment: pairsOf(environment),
          rule,
          evidence,
          project: projectAt(modelOf(seen), project_id),
        }));
      } else {
        const { project_id, test_name: name, run_id } = birth;
        const message = transition.type === 'TestBecameBroken' ? 'test.broken' : 'test.stabilised';
        tell(message, uuid, test_id, () => ({
          test: { id: test_id, name, project_id },
          environment: pairsOf(environment),
          result_id,
          run_id,
          project: projectAt(modelOf(seen), project_id),
        }));
      }
    }
  });
  return { messages, tests: new Map([...tests].filter(([, { entries }]) => entries.length > 0)) };
}

function removeEntry(test: Test, resultId: string): void {
  const entry = test.entries.find(({ result_id }) => result_id === resultId);
  if (entry === undefined) return;
  test.entries = test.entries.filter((each) => each !== entry);
  const line = test.lines.get(entry.environment)!;
  line.model = modelWithout(line.model, resultId);
  // A line goes with its last entry.
  if (!test.entries.some(({ environment }) => environment === entry.environment)) {
    if (entry.environment !== '') test.lines.delete(entry.environment);
  }
}

/** The environment of a result after these of its changes: that of its call, and its own pairs. */
function environmentOf(birth: Change, changes: readonly Change[]): string {
  const { data } = changes.findLast((each) => 'metadata' in each.data)!;
  const { metadata = null } = data as { metadata?: Record<string, unknown> | null };
  return resultEnvironment(birth.meta.facts?.environment ?? '', metadata);
}

/** Undefined for a result without an entry. */
function wasListedIn(tests: ReadonlyMap<string, Test>, { data }: Change): string | undefined {
  const entries = [...tests.values()].flatMap((test) => test.entries);
  return entries.find(({ result_id }) => result_id === data.result_id)?.environment;
}

function isFinal({ data: { status } }: Change): boolean {
  return status !== 'Pending' && status !== 'Running';
}

function isCall({ type }: LedgerEvent): boolean {
  return type === 'ItemsSubmitted' || type === 'RunCreated';
}

/** Whether another result supersedes an item from the start. One that was deleted supersedes nothing. */
function isSuperseded(event: LedgerEvent, until: readonly LedgerEvent[]): boolean {
  if (event.type !== 'ResultSubmitted') return false;
  const { superseded_by, replaced_by = [] } = event.data;
  const isDeleted = (id: string) =>
    until.some(({ type, data }) => type === 'ResultDeleted' && data.result_id === id);
  return superseded_by !== null || !replaced_by.every(isDeleted);
}

function isChange(event: LedgerEvent): event is Change {
  return /^Result(Created|Submitted|Started|Finished|Updated)$/.test(event.type);
}

/** The duration after the last of a result's events. */
function durationOf(own: readonly Change[]): number | null {
  return own.reduce<number | null>((ms, { type, data }) => {
    if (type === 'ResultStarted') return null;
    const { execution_time_ms = ms } = data as { execution_time_ms?: number | null };
    return execution_time_ms;
  }, null);
}

function setsFinalStatus({ data }: Change): boolean {
  const { status, previous_status } = data as { status: ResultStatus; previous_status?: ResultStatus };
  return status !== previous_status && status !== 'Pending' && status !== 'Running';
}

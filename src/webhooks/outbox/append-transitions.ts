/**
 * What follows from the changes of a batch, as events in the streams of tests, groups, runs and projects. Each is appended
 * once: ids and revisions follow from the fold, so a repeated batch appends the same events again, to no effect.
 */
import { followedDocuments, type FollowedDocument } from '../../../projections/history/followed.js';
import { transitionDocuments, type TransitionsDocument } from '../../../projections/history/transitions.js';
import { environmentOf } from '../../domain/environment.js';
import { forEachConcurrent } from '../../concurrency/for-each-concurrent.js';
import type { HistoryEvent, ResultChange } from '../../domain/test-history/result-change.js';
import { streamName, type NewEvent, type StreamName } from '../../domain/event.js';
import { eventVersions } from '../../domain/events.js';
import type { Fact, FollowedEvent, TestEvent } from '../../domain/events.js';
import { transitionId } from '../../domain/test-history/test.js';
import type { Transition } from '../../domain/test-history/test-history.js';
import { fail, isAppError } from '../../errors.js';
import { streamPages } from '../../log/streams.js';
import type { EventLog } from '../../ports/event-log.js';
import type { Change } from '../../ports/views.js';

const APPENDS_AT_ONCE = 64;

export function transitionsIn({ collection, after }: Change): TransitionEvent[] {
  if (collection === transitionDocuments.name) {
    return ofTest(after as unknown as TransitionsDocument);
  }
  if (collection === followedDocuments.name) {
    return othersFollowing(after as unknown as FollowedDocument);
  }
  return [];
}

/**
 * An event for the stream of a test, group, run or project, and what caused it. `before`: the revision of the event before it, as the fold
 * counts; -1 for none.
 */
export type TransitionEvent = { stream: StreamName; event: NewEvent; before: number; cause: HistoryEvent };

/** The streams in any order, the transitions of one stream in their order. */
export async function appendAll(
  log: Pick<EventLog, 'append' | 'readStream'>,
  transitions: readonly TransitionEvent[],
): Promise<void> {
  const byStream = new Map<StreamName, TransitionEvent[]>();
  for (const each of transitions) {
    const others = byStream.get(each.stream);
    if (others === undefined) byStream.set(each.stream, [each]);
    else others.push(each);
  }
  await forEachConcurrent([...byStream.values()], APPENDS_AT_ONCE, async (events) => {
    // A batch has its changes in the order in which their documents were named, which is not that of their events.
    events.sort((one, other) => one.before - other.before);
    for (const event of events) await appendTransition(log, event);
  });
}

function ofTest({ event: cause, transitions, before }: TransitionsDocument): TransitionEvent[] {
  const { change, meta } = cause;
  if (change === undefined) return [];
  const { test_id } = change;
  const stream = streamName('test', meta.team_id, test_id);
  return transitions.map((transition, n) => {
    const event = causedBy(cause, test_id, factOf(transition, change));
    return { stream, before: before + n - 1, event, cause };
  });
}

function othersFollowing({ event: cause, followed }: FollowedDocument): TransitionEvent[] {
  return followed.map(({ category, subject, before, type, data }) => {
    const stream = streamName(category, cause.meta.team_id, subject);
    const fact = { type, data } as Fact<FollowedEvent>;
    return { stream, before: before - 1, event: causedBy(cause, subject, fact), cause };
  });
}

/** `subject`: the test, group, run or project in whose stream it is. */
function causedBy(
  { id: cause, meta }: HistoryEvent,
  subject: string,
  fact: Fact<TestEvent | FollowedEvent>,
): NewEvent {
  return {
    id: transitionId(subject, cause, fact.type),
    ...fact,
    version: eventVersions[fact.type],
    meta: { ...meta, actor: 'system', causation_id: cause },
  };
}

function factOf(transition: Transition, { test_id, result, entry }: ResultChange): Fact<TestEvent> {
  const { project_id, test_name, test_run_id: run_id, test_result_id: result_id } = result;
  const environment = environmentOf(entry?.environment ?? '');
  const data = { test_id, project_id, test_name, run_id, result_id, ...(environment && { environment }) };
  switch (transition.type) {
    case 'TestRecovered': {
      const { type, failure } = transition;
      return { type, data: { ...data, branch: entry?.branch ?? null, failure } };
    }
    case 'TestBecameFlaky': {
      const { type, rule, evidence } = transition;
      return { type, data: { ...data, rule, evidence } };
    }
    case 'TestBecameBroken':
    case 'TestStabilised':
      return { type: transition.type, data };
  }
}

const TRIES = 8;

/**
 * Appends one event, unless the stream has it. If the fold has lost count of the stream, because a rule of the fold was
 * changed, the stream itself says where it ends. @throws AppError `log_unavailable`
 */
async function appendTransition(
  log: Pick<EventLog, 'append' | 'readStream'>,
  { stream, event, before }: TransitionEvent,
): Promise<void> {
  let revision = before;
  for (let tries = 0; tries < TRIES; tries += 1) {
    try {
      await log.append(stream, revision < 0 ? 'none' : revision, [event]);
      return;
    } catch (error) {
      if (!isAppError(error, 'wrong_revision')) throw error;
    }
    revision = -1;
    for await (const events of streamPages(log, stream)) {
      if (events.some(({ id }) => id === event.id)) return;
      revision = events.at(-1)!.revision;
    }
  }
  fail('write_conflict', `Other writers keep appending to ${stream}.`);
}

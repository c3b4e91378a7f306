/**
 * The fold of the history: expand chunks → derive changes → fold → append transitions → commit.
 *
 * Takes: batches of the feed. Gives: the documents of the history (`projections/history/history.ts`), and in the streams of
 * tests, groups, runs and projects what follows from results and runs. It loses nothing: the transitions of a batch are appended before its
 * checkpoint. It appends each transition once: ids and revisions follow from the fold, so a repeated batch appends the
 * same events again, to no effect (docs/decisions/014).
 */
import { history } from '../../../projections/history/history.js';
import type { MessageDocument } from '../../../projections/outbox/messages.js';
import { followedDocuments, type FollowedDocument } from '../../../projections/history/followed.js';
import { transitionDocuments, type TransitionsDocument } from '../../../projections/history/transitions.js';
import type { Clock } from '../../clock.js';
import { environmentOf } from '../../domain/environment.js';
import { forEachConcurrent } from '../../concurrency/for-each-concurrent.js';
import type { HistoryEvent, ResultChange } from '../../domain/test-history/result-change.js';
import {
  laterPosition,
  START,
  streamName,
  type NewEvent,
  type Position,
  type StreamName,
} from '../../domain/event.js';
import { ALL_PARTITIONS, partitionOf, type Partition, type Partitions } from '../../domain/partition.js';
import { eventVersions } from '../../domain/events.js';
import type { Fact, FollowedEvent, TestEvent } from '../../domain/events.js';
import { asMessage, eventPositionOf, type Message } from '../../domain/messages/message.js';
import { transitionId } from '../../domain/test-history/test.js';
import type { Transition } from '../../domain/test-history/test-history.js';
import { fail, isAppError } from '../../errors.js';
import { historyEvent } from '../../domain/test-history/result-change.js';
import { eachItem } from '../../log/item-events.js';
import { streamPages } from '../../log/streams.js';
import type { EventLog } from '../../ports/event-log.js';
import type { State } from '../../ports/state.js';
import type { Change, ViewWriter } from '../../ports/views.js';
import { foldInto, type OpenFold } from '../../projecting/fold.js';

export type HistoryFoldOptions = {
  log: Pick<EventLog, 'append' | 'readStream' | 'head'>;
  views: ViewWriter;
  state: State;
  clock: Clock;
  /** Called after each commit with its messages that have targets, in order. A rebuild has none that were told before. */
  committed?: (messages: readonly Message[]) => void;
};

/** Under load, messages may be this much later. */
export const GATHER_MS = 100;

const [KIND, KEY] = ['history', 'appended'];
const APPENDS_AT_ONCE = 64;
const SAVE_EVERY_MS = 10_000;

/** For the projector of the history. */
export function openHistoryFold(options: HistoryFoldOptions): OpenFold {
  const { log, views } = options;
  const appended = openTransitionsCheckpoint(options);
  return foldInto(history, views, {
    derive: (event) => eachItem(event).map(historyEvent),
    async beforeCommit(changes) {
      const appendedTo = await appended.positions();
      const transitions = changes.flatMap(transitionsIn);
      // A rebuild folds the whole history: what was appended before must not be appended again.
      await appendAll(
        log,
        transitions.filter(({ cause }) => cause.position > appendedTo(cause.meta.team_id)),
      );
      return changes.filter(({ collection }) => !neverStored.has(collection));
    },
    async afterCommit(changes, { partitions, to }) {
      const appendedTo = await appended.positions();
      const messages = changes
        .filter(({ collection }) => collection === 'messages')
        .map(messageIn)
        .filter(({ outgoing }) => outgoing !== null)
        .filter(({ team_id, place }) => eventPositionOf(place) > appendedTo(team_id));
      await appended.moveTo(partitions, to);
      if (messages.length > 0) options.committed?.(messages.map(asMessage));
    },
  });
}

function messageIn({ after }: Change): MessageDocument {
  return after as unknown as MessageDocument;
}

const neverStored = new Set([transitionDocuments.name, followedDocuments.name]);

function transitionsIn({ collection, after }: Change): TransitionEvent[] {
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
type TransitionEvent = { stream: StreamName; event: NewEvent; before: number; cause: HistoryEvent };

/** The streams in any order, the transitions of one stream in their order. */
async function appendAll(
  log: HistoryFoldOptions['log'],
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

type TransitionsCheckpoint = {
  /** The log has all transitions of a team up to the position that the answer returns for it. */
  positions(): Promise<(team: string) => Position>;
  moveTo(partitions: Partitions, position: Position): Promise<void>;
};

type StoredCheckpoint = { positions: Readonly<Record<Partition, Position>> };

/** In State, but saved only from time to time: the transitions after it are appended again, to no effect. */
function openTransitionsCheckpoint({ log, state, clock }: HistoryFoldOptions): TransitionsCheckpoint {
  let reached: Map<Partition, Position> | null = null;
  let savedAt = 0;
  const load = async () => (reached ??= await saved());
  async function saved(): Promise<Map<Partition, Position>> {
    const positions = (await state.get<StoredCheckpoint>(KIND, KEY))?.value.positions ?? {};
    // A log that was restored from a backup ends before the checkpoint: its next events need their own transitions.
    const head = await log.head();
    const within = (one: Position) => (one <= head ? one : START);
    return new Map(ALL_PARTITIONS.split('').map((each) => [each, within(positions[each] ?? START)]));
  }
  return {
    async positions() {
      const known = await load();
      return (team) => known.get(partitionOf(team)) ?? START;
    },
    async moveTo(partitions, to) {
      const known = await load();
      for (const each of partitions) known.set(each, laterPosition(known.get(each) ?? START, to));
      const now = clock().getTime();
      if (now - savedAt < SAVE_EVERY_MS) return;
      savedAt = now;
      await state.put<StoredCheckpoint>(
        KIND,
        KEY,
        { positions: Object.fromEntries(known) },
        { expected: 'any' },
      );
    },
  };
}

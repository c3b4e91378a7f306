/** The form in which each type of message is written, and what a type is told of an event. */
import type { RunVerdict } from '../comparison/verdict.js';
import type { RunCounts } from '../counts.js';
import type { EventType, Fact, FollowedEvent, TestEvent } from '../events.js';
import type { HistoryEvent } from '../test-history/result-change.js';
import type { Transition } from '../test-history/test-history.js';
import type { FailureGroup } from '../test-history/result-facts.js';
import type { About, KnownFailureOfMessage, MessagePlace, RedRun } from './about.js';
import type { DayNumbers } from './digest.js';
import type { Draft } from './draft.js';
import type { FailedGroup, FailureOfGroup, FailureTraits } from './failed-groups.js';
import type { Per } from './per.js';
import type { WebhookFilter } from './webhook-filter.js';

/** An event that may cause messages, with the state at that moment that no stream holds. */
export type Occurrence = {
  event: HistoryEvent;
  /** The transitions of the test that follow from the event. */
  transitions: readonly Transition[];
  /** What else follows from the event, for groups, for its run and for its project. */
  followed: readonly FollowedFact[];
  /** The counts of the event's run; null without a run. */
  counts: RunCounts | null;
  /** What is said of the run, for an event that completes it; null for any other. */
  verdict: RunVerdict | null;
  /** The event sets a failure of which somebody knows. */
  known: boolean;
  /** Where the result or the run of the event ran. */
  place: MessagePlace;
  /** That of the run which the event completes. */
  tool: string | null;
  /** The test of the event did not fail before. */
  isNew: boolean;
  /** Of the run that the event completes. */
  failures: readonly FailedGroup[];
  /** A failure of each group that is seen for the first time. */
  firstsOfGroups: readonly FailureOfGroup[];
  /** The known failure that the event sets or ends, and whose test it is of. */
  knownFailure: KnownFailureOfMessage | null;
  /** What the digest tells of the day that the event closes. */
  day: DayNumbers | null;
  /**
   * The event is of an item that another item of its call, or of a higher attempt of its shard, supersedes from the start.
   * One that was deleted supersedes nothing, so the event alone does not say it.
   */
  superseded: boolean;
};

/** An event that follows from another one, with what only its message says. */
export type FollowedFact =
  | Fact<Exclude<FollowedEvent, keyof SaidBeside>>
  | { [T in keyof SaidBeside]: Fact<T> & { about: SaidBeside[T] } }[keyof SaidBeside];

type SaidBeside = {
  GroupWentAway: FailureTraits & { group: FailureGroup };
  MainTurnedRed: { red: RedRun };
  MainTurnedGreen: { red: RedRun };
};

/** The records that a payload shows, as they were at the message's event. Each is null if it did not exist then. */
export type PayloadRecords = {
  result(id: string): Promise<object | null>;
  run(id: string, counts: RunCounts): Promise<object | null>;
  project(id: string): Promise<object | null>;
  /** The last one that was set for a test, whether it has ended or not. */
  knownFailure(test: string): Promise<object | null>;
  /** Of a group of failures. */
  title(stored: string): Promise<string>;
};

/** How a webhook wants its messages. */
export type MessageView = { per: Per; filter: WebhookFilter | null };

/** The event of the log that a message has, where that is not its cause, and in whose stream it is. */
export type EventOfMessage =
  { type: TestEvent; of: 'test' } | { type: FollowedEvent; of: 'run' | 'project' | 'group' };

export type MessageTypeSpec<A extends About> = {
  /**
   * Orders the messages of one event. It is stored in every outbox position (`<position>#<order>`), so it never changes
   * and is never used again: a new type takes the next free number.
   */
  order: number;
  /** When it is sent, in words for people. */
  when: string;
  /** Webhooks may subscribe to this type. A type without subscribers goes only to the webhook that it is about. */
  subscribable: boolean;
  /** The event types that may cause a message of this type. */
  causes: readonly EventType[];
  /** Null: its event is the cause itself. */
  transition: EventOfMessage | null;
  /** Its body depends on the filter of its webhook. */
  isFiltered?: true;
  /** The messages that the event causes, in their order. */
  trigger(occurrence: Occurrence): Draft<A> | readonly Draft<A>[] | null;
  /** The `data` of the payload. It must be the same bytes each time, so it depends on nothing but its arguments. */
  render(about: A, records: PayloadRecords, view: MessageView): Promise<object>;
};

/** Lets TypeScript infer the table of types without widening their names. */
export function messageType<A extends About>(spec: MessageTypeSpec<A>): MessageTypeSpec<A> {
  return spec;
}

/** Without the fields that a stored document adds. */
export function bare({ counts, count_snapshot }: RunCounts): RunCounts {
  return { counts, count_snapshot };
}

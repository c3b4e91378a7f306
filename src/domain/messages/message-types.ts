/**
 * The types of webhook messages, each in one object: its order, its trigger and its payload. To add a type, add an
 * object here and the schema of its body to `schemas/messages/`; `npm run generate` makes the lists of the schemas.
 */
import { environmentOf } from '../environment.js';
import type { RunVerdict } from '../comparison/verdict.js';
import type { RunCounts } from '../counts.js';
import type { HistoryEvent, ResultChange } from '../test-history/result-change.js';
import type { EventType, TestEvent } from '../events.js';
import { MOST_EXAMPLES, type FailedGroup } from './failed-groups.js';
import type { Draft } from './draft.js';
import { groupDrafts } from './group-drafts.js';
import { listed, shownExample, shownGroup, untold } from './group-payload.js';
import type { Per } from './per.js';
import { chosen, type WebhookFilter } from './webhook-filter.js';
import type {
  About,
  AboutFailure,
  AboutGroup,
  AboutLine,
  AboutRecovery,
  AboutResult,
  AboutRun,
  AboutTest,
  AboutWebhook,
  MessagePlace,
} from './about.js';
import type { ResultRecord } from '../results/result.js';
import { eventIdOf, transitionId } from '../test-history/test.js';
import type { Transition } from '../test-history/test-history.js';

/** An event that may cause messages, with the state at that moment that no stream holds. */
export type Occurrence = {
  event: HistoryEvent;
  /** The transitions of the test that follow from the event. */
  transitions: readonly Transition[];
  /** The counts of the event's run; null without a run. */
  counts: RunCounts | null;
  /** What is said of the run, for an event that completes it; null for any other. */
  verdict: RunVerdict | null;
  /** The event sets a failure of which somebody knows. */
  known: boolean;
  /** Where the result or the run of the event ran. */
  place: MessagePlace;
  /** The test of the event did not fail before. */
  isNew: boolean;
  /** Of the run that the event completes. */
  failures: readonly FailedGroup[];
  /**
   * The event is of an item that another item of its call, or of a higher attempt of its shard, supersedes from the start.
   * One that was deleted supersedes nothing, so the event alone does not say it.
   */
  superseded: boolean;
};

/** The records that a payload shows, as they were at the message's event. Each is null if it did not exist then. */
export type PayloadRecords = {
  result(id: string): Promise<object | null>;
  run(id: string, counts: RunCounts): Promise<object | null>;
  project(id: string): Promise<object | null>;
  /** Of a group of failures. */
  title(stored: string): Promise<string>;
};

/** How a webhook wants its messages. */
export type MessageView = { per: Per; filter: WebhookFilter | null };

type MessageTypeSpec<A extends About> = {
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
  /** The transition of the test whose event the message has; null: its event is the cause itself. */
  transition: TestEvent | null;
  /** The messages that the event causes, in their order. */
  trigger(occurrence: Occurrence): Draft<A> | readonly Draft<A>[] | null;
  /** The `data` of the payload. It must be the same bytes each time, so it depends on nothing but its arguments. */
  render(about: A, records: PayloadRecords, view: MessageView): Promise<object>;
};

/** The event types that can set a final status of a result. */
const resultEvents = [
  'ResultCreated',
  'ResultSubmitted',
  'ResultStarted',
  'ResultFinished',
  'ResultUpdated',
] as const satisfies readonly EventType[];

/** The API lists the types in this order. */
export const messageTypes = {
  'test.failed': messageType<AboutFailure>({
    order: 0,
    when: 'a test fails',
    subscribable: true,
    causes: resultEvents,
    transition: null,
    trigger(occurrence) {
      const { event, superseded } = occurrence;
      // Only the last attempt of a test counts, in a call as in a shard: the failure of an earlier one is no news.
      if (event.change?.entry?.status !== 'Failed' || superseded) return null;
      // A failure that a correction moved to another environment was told already.
      if (event.change.entry.again && isCorrection(event)) return null;
      const { test_id, group } = event.change;
      const about = { ...aboutResult(event.change, occurrence), group };
      return { uuid: event.id, subject: test_id, about };
    },
    render: async (about, records) => ({
      ...(await resultPayload(about, records)),
      group: about.group && { ...about.group, title: await records.title(about.group.title) },
      known: about.known,
    }),
  }),

  'test.flaky': messageType<AboutTest>({
    order: 2,
    when: 'a test becomes flaky',
    subscribable: true,
    causes: resultEvents,
    transition: 'TestBecameFlaky',
    trigger({ event: { id, change }, transitions, place }) {
      const flaky = transitions.find((one) => one.type === 'TestBecameFlaky');
      if (change === undefined || flaky === undefined) return null;
      const { test_id, result } = change;
      const test = { id: test_id, name: result.test_name, project_id: result.project_id };
      const { environment } = aboutLine(change);
      const { rule, evidence } = flaky;
      const { owner } = change;
      const about = { kind: 'test', test, environment, rule, evidence, place, owner } as const;
      return { uuid: transitionId(test_id, id, flaky.type), subject: test_id, about };
    },
    async render({ test, environment, rule, evidence }, records) {
      return { test, environment, rule, evidence, project: await records.project(test.project_id) };
    },
  }),

  'test.recovered': messageType<AboutRecovery>({
    order: 1,
    when: 'a test passes again',
    subscribable: true,
    causes: resultEvents,
    transition: 'TestRecovered',
    trigger(occurrence) {
      const { transitions } = occurrence;
      const { id, change } = occurrence.event;
      const recovery = transitions.find((one) => one.type === 'TestRecovered');
      if (change === undefined || recovery === undefined) return null;
      const about = { ...aboutResult(change, occurrence), ...aboutLine(change), failure: recovery.failure };
      return { uuid: transitionId(change.test_id, id, recovery.type), subject: change.test_id, about };
    },
    async render(about, records) {
      const [data, failure] = await Promise.all([
        resultPayload(about, records),
        records.result(about.failure),
      ]);
      return { ...data, environment: about.environment, failure };
    },
  }),

  'run.completed': messageType<AboutRun>({
    order: 3,
    when: 'a run is completed',
    subscribable: true,
    causes: ['RunCompleted'],
    transition: null,
    trigger({ event, counts, verdict, place, failures }) {
      if (event.type !== 'RunCompleted' || counts === null) return null;
      const { completion, run_id, project_id } = event.data;
      const run = { run_id, project_id, completion, counts: bare(counts), verdict };
      return { uuid: event.id, subject: run_id, about: { kind: 'run', ...run, place, failures } };
    },
    async render({ run_id, project_id, completion, counts, verdict, failures }, records, { per, filter }) {
      const [run, project] = await Promise.all([records.run(run_id, counts), records.project(project_id)]);
      return {
        run,
        completion,
        project,
        gate: verdict?.gate ?? null,
        gate_reasons: verdict?.reasons ?? [],
        comparison: verdict?.comparison ?? null,
        ...(per === 'run' && { failures: await listed(chosen(filter, untold(failures)), records) }),
      };
    },
  }),

  'group.failed': messageType<AboutGroup>({
    order: 5,
    when: 'a run is completed with failures of one cause',
    // Webhooks ask for it by `test.failed` and `per`.
    subscribable: false,
    causes: ['RunCompleted'],
    transition: null,
    trigger({ event, counts, place, failures }) {
      if (event.type !== 'RunCompleted' || counts === null) return null;
      const { run_id, project_id } = event.data;
      return groupDrafts(event.id, { run_id, project_id, counts: bare(counts), place, failures });
    },
    async render({ run_id, project_id, counts, failed }, records, { filter }) {
      // A filter that was changed since may leave nothing of it: then the message is as it was.
      const [left = failed] = chosen(filter, [failed]);
      const ids = left.parts.flatMap(({ examples }) => examples).slice(0, MOST_EXAMPLES);
      const [group, run, project, ...examples] = await Promise.all([
        shownGroup(left, records),
        records.run(run_id, counts),
        records.project(project_id),
        ...ids.map((id) => records.result(id)),
      ]);
      const present = examples.filter((each) => each !== null) as ResultRecord[];
      return { ...group, examples: present.map(shownExample), run, project };
    },
  }),

  'webhook.ping': messageType<AboutWebhook>({
    order: 4,
    when: 'somebody asks for a ping',
    subscribable: false,
    causes: ['WebhookPinged'],
    transition: null,
    trigger({ event }) {
      if (event.type !== 'WebhookPinged') return null;
      const { webhook_id } = event.data;
      // A subject of its own: a ping asks whether the endpoint answers now, so it must not wait behind other messages.
      return { uuid: event.id, subject: eventIdOf(event.id), about: { kind: 'webhook', webhook_id } };
    },
    render: async ({ webhook_id }) => ({ webhook_id }),
  }),
};

export type MessageType = keyof typeof messageTypes;

/** The types to which webhooks may subscribe. */
export const subscribableTypes = (Object.keys(messageTypes) as MessageType[]).filter(
  (type) => messageTypes[type].subscribable,
);

/** The types that an event of one type may cause, in their order. */
export const messageTypesOf: ReadonlyMap<EventType, readonly MessageType[]> = (() => {
  const types = Object.keys(messageTypes) as MessageType[];
  types.sort((one, other) => messageTypes[one].order - messageTypes[other].order);
  const causes = new Set(types.flatMap((type) => messageTypes[type].causes));
  return new Map(
    [...causes].map((cause) => [cause, types.filter((type) => messageTypes[type].causes.includes(cause))]),
  );
})();

/**
 * The UUIDs of the messages that an event may have caused, whether it did or not. `test`: the test of its result; null
 * where it has none.
 */
export function possibleMessages(cause: { type: EventType; id: string }, test: string | null): string[] {
  const uuids = (messageTypesOf.get(cause.type) ?? []).flatMap((type) => {
    const { transition } = messageTypes[type];
    if (transition === null) return cause.id;
    return test === null ? [] : transitionId(test, cause.id, transition);
  });
  return [...new Set(uuids)];
}

/** The messages of a type that an event causes. */
export function draftsOf(type: MessageType, occurrence: Occurrence): readonly Draft<About>[] {
  const drafts = messageTypes[type].trigger(occurrence);
  if (drafts === null) return [];
  return 'uuid' in drafts ? [drafts] : drafts;
}

/** The `data` of a message's payload. */
export function renderData(
  type: MessageType,
  about: About,
  records: PayloadRecords,
  view: MessageView,
): Promise<object> {
  // TypeScript does not see that a message of a type is about what this type's trigger wrote.
  return (messageTypes[type] as MessageTypeSpec<About>).render(about, records, view);
}

/** Lets TypeScript infer the table of types without widening their names. */
function messageType<A extends About>(spec: MessageTypeSpec<A>): MessageTypeSpec<A> {
  return spec;
}

/** Whether a change of a result leaves its status. */
function isCorrection({ data }: HistoryEvent): boolean {
  return 'previous_status' in data && 'status' in data && data.previous_status === data.status;
}

function aboutLine({ entry }: ResultChange): AboutLine {
  return { environment: environmentOf(entry?.environment ?? '') };
}

function aboutResult(
  { result, owner }: ResultChange,
  { counts, known, isNew, place }: Occurrence,
): AboutResult {
  const { test_result_id: result_id, test_run_id: run_id, project_id } = result;
  const ids = { result_id, run_id, project_id, counts: counts === null ? null : bare(counts) };
  return { kind: 'result', ...ids, place, owner, known, new: isNew };
}

async function resultPayload(
  { result_id, run_id, project_id, counts }: AboutResult,
  records: PayloadRecords,
) {
  const [result, run, project] = await Promise.all([
    records.result(result_id),
    run_id === null || counts === null ? null : records.run(run_id, counts),
    records.project(project_id),
  ]);
  return { result, run, project };
}

/** Without the fields that a stored document adds. */
function bare({ counts, count_snapshot }: RunCounts): RunCounts {
  return { counts, count_snapshot };
}

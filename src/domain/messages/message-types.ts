/**
 * The types of webhook messages, each in one object: its order, its trigger and its payload. To add a type, add an
 * object to a file in `types/` and the schema of its body to `schemas/messages/`; `npm run generate` makes the lists of the
 * schemas.
 */
import type { EventType } from '../events.js';
import { transitionId } from '../test-history/test.js';
import type { About } from './about.js';
import type { Draft } from './draft.js';
import type { MessageTypeSpec, MessageView, Occurrence, PayloadRecords } from './message-spec.js';
import { messagesOfGroups } from './types/of-groups.js';
import { messagesOfRuns } from './types/of-runs.js';
import { messagesOfTests } from './types/of-tests.js';

/** The API lists the types in this order. */
export const messageTypes = { ...messagesOfTests, ...messagesOfGroups, ...messagesOfRuns };

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

/** What the events of messages may be about, beside their cause. Null: the cause has none. */
export type SubjectsOfCause = Readonly<Record<'test' | 'group' | 'run' | 'project', string | null>>;

/** The UUIDs of the messages that an event may have caused, whether it did or not. */
export function possibleMessages(
  cause: { type: EventType; id: string },
  subjects: SubjectsOfCause,
): string[] {
  const uuids = (messageTypesOf.get(cause.type) ?? []).flatMap((type) => {
    const { transition } = messageTypes[type];
    if (transition === null) return cause.id;
    const subject = subjects[transition.of];
    return subject === null ? [] : transitionId(subject, cause.id, transition.type);
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

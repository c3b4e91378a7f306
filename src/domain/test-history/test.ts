/** The id of a test follows from its project and its name, and other ids follow from their causes in the same way. */
import { fromUUID, fromUUIDBytes } from 'typeid-js';
import { v5 } from 'uuid';
import type { FollowedEvent, TestEvent } from '../events.js';
import { namespaceOf } from '../namespace.js';

/** The id of a test. It is the same each time, and does not sort by time. */
export function testIdOf(projectId: string, testName: string): string {
  return fromUUIDBytes('test', v5(encoder.encode(testName), namespaceOf(projectId), new Uint8Array(16)));
}

/** `v5` takes longer to make bytes of a text. */
const encoder = new TextEncoder();

/**
 * The UUID of the event that another event causes in a stream of its subject: a test, group, run or project. It is the same each
 * time it is appended.
 */
export function transitionId(subject: string, causeId: string, type: TestEvent | FollowedEvent): string {
  return v5(`${causeId}/${type}`, namespaceOf(subject));
}

/** The UUID of a message that is no event of the log. */
export function aloneMessageId(
  subject: string,
  causeId: string,
  type: 'group.failed' | 'digest.daily',
): string {
  return v5(`${causeId}/${type}`, namespaceOf(subject));
}

/** The id of a message that is no event of the log. */
export function messageIdOf(uuid: string): string {
  return fromUUID(uuid, 'message');
}

/** An event's UUID in the form that the replay and the webhooks show. */
export function eventIdOf(uuid: string): string {
  return fromUUID(uuid, 'event');
}

/** The id of a webhook's delivery of an event: there is one for both. */
export function deliveryIdOf(webhookId: string, eventId: string): string {
  return fromUUID(v5(eventId, namespaceOf(webhookId)), 'delivery');
}

/** The id of a test follows from its project and its name, and other ids follow from their causes in the same way. */
import { hash } from 'node:crypto';
import { fromUUID, fromUUIDBytes, toUUID, type TypeId } from 'typeid-js';
import { v5 } from 'uuid';
import type { FollowedEvent, TestEvent } from '../events.js';
import { namespaceOf } from '../namespace.js';

/** The id of a test. It is the same each time, and does not sort by time. */
export function testIdOf(projectId: string, testName: string): string {
  return fromUUIDBytes('test', uuidOfName(testName, namespaceOf(projectId)));
}

/** As `v5`, whose hash is an object of Node: for each result, that would take four times as long as all else here. */
function uuidOfName(name: string, namespace: Uint8Array): Uint8Array {
  const digest = hash('sha1', Buffer.concat([namespace, Buffer.from(name)]), 'binary');
  const bytes = Buffer.from(digest, 'binary');
  bytes[6] = (bytes[6]! & 0x0f) | 0x50;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  return bytes.subarray(0, 16);
}

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

/** The UUID of an event that is shown by this id. */
export function uuidOfEvent(eventId: string): string {
  return toUUID(eventId as unknown as TypeId<'event'>);
}

/** The id of a webhook's delivery of an event: there is one for both. */
export function deliveryIdOf(webhookId: string, eventId: string): string {
  return fromUUID(v5(eventId, namespaceOf(webhookId)), 'delivery');
}

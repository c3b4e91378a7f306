/** A test: a project and a test name, under an id that follows from both. */
import { fromUUID, toUUIDBytes, type TypeId } from 'typeid-js';
import { v5 } from 'uuid';
import type { TestEvent } from './events.js';

/** Of a test: not sortable, and the same wherever it is asked for. */
export function testIdOf(projectId: string, testName: string): string {
  return fromUUID(v5(testName, uuidOf(projectId)), 'test');
}

/** UUID of the event that another one causes in a test's stream: whoever appends it again appends the same. */
export function transitionId(testId: string, causeId: string, type: TestEvent): string {
  return v5(`${causeId}/${type}`, uuidOf(testId));
}

/** An event's UUID as the replay and the webhooks show it. */
export function eventIdOf(uuid: string): string {
  return fromUUID(uuid, 'event');
}

/** Of a webhook's delivery of an event: there is one. */
export function deliveryIdOf(webhookId: string, eventId: string): string {
  return fromUUID(v5(eventId, uuidOf(webhookId)), 'delivery');
}

/** The UUID that is in an id, as bytes: nobody asks here of which version it is. */
function uuidOf(id: string): Uint8Array {
  return toUUIDBytes(id as unknown as TypeId<string>);
}

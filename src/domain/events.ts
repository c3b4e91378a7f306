/** The events of the ledger, as types: the schemas in `schemas/events/` are the contract. */
import type { EventData } from './events.generated.js';
import type { RecordedEvent } from './event.js';

export type { EventData, PastEventData } from './events.generated.js';
export type EventType = keyof EventData;

/** What a decider answers: a type and its data; the shell adds id, position and meta. */
export type Fact<T extends EventType = EventType> = {
  [Type in T]: { type: Type; data: EventData[Type] };
}[T];

/** An event as it was recorded, with the data of its type. */
export type LedgerEvent<T extends EventType = EventType> = Omit<RecordedEvent, 'type' | 'data'> & Fact<T>;

export type TeamEvent = 'TeamCreated' | 'KeyCreated' | 'KeyRevoked';
export type ProjectEvent = 'ProjectCreated' | 'ProjectDescribed' | 'ProjectStatusChanged';
export type RunEvent = 'RunCreated' | 'RunDescribed' | 'RunStarted' | 'RunCompleted' | 'RunReturnedToPending';
export type ResultEvent =
  | 'ResultCreated'
  | 'ResultSubmitted'
  | 'ResultStarted'
  | 'ResultFinished'
  | 'ResultUpdated'
  | 'ResultDeleted'
  | 'ResultRetryClaimed'
  | 'ResultVoided'
  | ArtifactEvent;
/** In a stream of the artifact's own id; all else of artifacts is in the stream of their result. */
export type ArtifactParentEvent = 'ArtifactAssigned';
export type ArtifactEvent = 'ArtifactCreated' | 'ArtifactConfirmed' | 'ArtifactDeleted';
/** In the test's own stream, each caused by an event of a result's. */
export type TestEvent = 'TestRecovered' | 'TestBecameFlaky' | 'TestStabilised';
export type WebhookEvent =
  | 'WebhookCreated'
  | 'WebhookChanged'
  | 'WebhookEnabled'
  | 'WebhookDisabled'
  | 'WebhookDeleted'
  | 'WebhookSecretRotated'
  | 'WebhookPinged';

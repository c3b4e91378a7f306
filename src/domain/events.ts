/** The types of the events in the log. The schemas in `schemas/events/` are the contract. */
import type { EventData } from './events.generated.js';
import type { EventMeta, RecordedEvent } from './event.js';

export type { EventData, PastEventData } from './events.generated.js';
export { eventVersions } from './events.generated.js';
export type EventType = keyof EventData;

/**
 * An event as a decider returns it: a type and its data, and what goes beside the data. The command handler adds id, version, position
 * and the rest of meta.
 */
export type Fact<T extends EventType = EventType> = {
  [Type in T]: { type: Type; data: EventData[Type]; facts?: EventMeta['facts'] };
}[T];

/** A recorded event in its current version, with the data of its type. */
export type LedgerEvent<T extends EventType = EventType> = Omit<RecordedEvent, 'type' | 'data'> & Fact<T>;

/** `MemberAdded` is the only type with personal data, and they are encrypted. */
export type MemberEvent = 'MemberAdded' | 'MemberRoleChanged' | 'MemberRemoved';
/** The end of a key as it was: for good, or in the name of its maker. */
export type KeyEnd = 'KeyRevoked' | 'KeyTakenOver';
export type TeamEvent =
  'TextRedacted' | 'TeamCreated' | 'TeamSettingsChanged' | 'KeyCreated' | KeyEnd | MemberEvent;
export type ProjectEvent =
  | 'ProjectCreated'
  | 'ProjectDescribed'
  | 'ProjectStatusChanged'
  | 'ProjectPurged'
  | 'TrustCreated'
  | 'TrustRemoved';
export type RunEvent =
  | 'RunCreated'
  | 'RunDescribed'
  | 'RunStarted'
  | 'RunCompleted'
  | 'RunReturnedToPending'
  | 'ItemsSubmitted'
  | 'ItemsReceived'
  | 'RunRedacted'
  | 'RunPurged';
export type ResultEvent =
  | 'ResultCreated'
  | 'ResultSubmitted'
  | 'ResultStarted'
  | 'ResultFinished'
  | 'ResultUpdated'
  | 'ResultDeleted'
  | 'ResultRetryClaimed'
  | 'ResultVoided'
  | 'ResultRedacted'
  | ArtifactEvent;
/** In a stream of the artifact's own id. All other events of artifacts are in the stream of their result. */
export type ArtifactParentEvent = 'ArtifactAssigned';
export type ArtifactEvent = 'ArtifactCreated' | 'ArtifactConfirmed' | 'ArtifactDeleted';
/** In the stream of the test. Each one is caused by an event of a result. */
export type TestEvent = 'TestRecovered' | 'TestBecameFlaky' | 'TestBecameBroken' | 'TestStabilised';
/** What people say of a cause, in a stream of its own. */
export type CauseEvent = 'CauseChanged';
/** In the stream of the group, which only the fold of the history writes. Each is caused by an event of a result or run. */
export type GroupEvent = 'CauseFixed' | 'CauseCameBack' | 'GroupAppeared' | 'GroupWentAway' | 'GroupReturned';
/** What a completed run says of itself, or of the default branch of its project, in a stream beside that of the run or project. */
export type VerdictEvent = 'RunFoundIncomplete' | 'MainTurnedRed' | 'MainTurnedGreen';
/** What the fold of the history appends, beside the events of tests. */
export type FollowedEvent = GroupEvent | VerdictEvent;
/** In a stream beside that of the project. */
export type DigestEvent = 'DayClosed';
/** In a stream beside that of the test, which holds transitions only. */
export type KnownFailureEvent = 'KnownFailureSet' | 'KnownFailureEnded';
export type WebhookEvent =
  | 'WebhookCreated'
  | 'WebhookChanged'
  | 'WebhookEnabled'
  | 'WebhookDisabled'
  | 'WebhookDeleted'
  | 'WebhookSecretRotated'
  | 'WebhookPinged';
/** In one stream for all webhooks of a team. */
export type WebhookPlaceEvent = 'WebhookReserved';

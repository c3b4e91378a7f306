/**
 * The version of every event type, and how an event of an older version becomes a current one
 * (docs/decisions/015). Stored events never change: an event is upcast each time it is read.
 */
import { fail } from '../errors.js';
import type { EventData, EventType, PastEventData } from './events.js';
import type { RecordedEvent } from './event.js';
import { DEFAULT_BRANCH } from './project.js';

/** Takes the data of one version, and returns the data of the next version. Pure. */
type Upcaster = (data: never) => unknown;

/** `upcasters` holds one function for each older version, under the number of that version. */
export type EventVersions = { version: number; upcasters?: Readonly<Record<number, Upcaster>> };

/** To change an event's schema: add the file of the new version, raise the version here, add an upcaster. */
export const eventVersions: Readonly<Record<EventType, EventVersions>> = {
  ArtifactAssigned: { version: 1 },
  ArtifactConfirmed: { version: 1 },
  ArtifactCreated: { version: 1 },
  ArtifactDeleted: { version: 1 },
  ItemsReceived: { version: 1 },
  ItemsSubmitted: { version: 1 },
  KeyCreated: { version: 1 },
  KeyRevoked: { version: 1 },
  KnownFailureEnded: { version: 1 },
  KnownFailureSet: { version: 1 },
  MemberAdded: { version: 1 },
  MemberRemoved: { version: 1 },
  MemberRoleChanged: { version: 1 },
  ProjectCreated: { version: 2, upcasters: { 1: createdOnMain } },
  ProjectDescribed: { version: 2, upcasters: { 1: unchanged } },
  ProjectStatusChanged: { version: 1 },
  ResultCreated: { version: 1 },
  ResultDeleted: { version: 2, upcasters: { 1: unchanged } },
  ResultFinished: { version: 2, upcasters: { 1: finishedWithoutTestName } },
  ResultRetryClaimed: { version: 1 },
  ResultStarted: { version: 1 },
  ResultSubmitted: { version: 2, upcasters: { 1: unchanged } },
  ResultUpdated: { version: 2, upcasters: { 1: updatedWithoutTestName } },
  ResultVoided: { version: 1 },
  RunCompleted: { version: 2, upcasters: { 1: unchanged } },
  RunCreated: { version: 2, upcasters: { 1: createdWithoutKey } },
  RunDescribed: { version: 1 },
  RunReturnedToPending: { version: 1 },
  RunStarted: { version: 1 },
  TeamCreated: { version: 1 },
  TestBecameBroken: { version: 1 },
  TestBecameFlaky: { version: 1 },
  TestRecovered: { version: 1 },
  TestStabilised: { version: 1 },
  WebhookChanged: { version: 1 },
  WebhookCreated: { version: 1 },
  WebhookDeleted: { version: 1 },
  WebhookDisabled: { version: 1 },
  WebhookEnabled: { version: 1 },
  WebhookPinged: { version: 1 },
  WebhookReserved: { version: 1 },
  WebhookSecretRotated: { version: 1 },
};

/** The version in which new events of a type are written. */
export function currentVersion(type: EventType): number {
  return eventVersions[type].version;
}

const versionsByType: ReadonlyMap<string, EventVersions> = new Map(Object.entries(eventVersions));

/** True if the event has the current version of a known type. */
export function isCurrent({ type, version }: RecordedEvent): boolean {
  return versionsByType.get(type)?.version === version;
}

/**
 * Returns the event in the current version of its type: the same object if it is current already.
 * @throws LedgerError `unknown_event` for a type or a version that only a newer program knows: to skip the event
 *   would fold the rest of the stream wrongly, and nothing would show it.
 */
export function upcast(event: RecordedEvent): RecordedEvent {
  if (isCurrent(event)) return event;
  const versions = versionsByType.get(event.type);
  if (versions === undefined || event.version > versions.version) return failUnknown(event);
  let { data } = event;
  for (let version = event.version; version < versions.version; version += 1) {
    const next = versions.upcasters?.[version];
    if (next === undefined) return failUnknown(event);
    data = next(data as never);
  }
  return { ...event, version: versions.version, data };
}

function failUnknown({ type, version, position }: RecordedEvent): never {
  const isOlder = version < (versionsByType.get(type)?.version ?? 0);
  return fail(
    'unknown_event',
    `This version of testledger cannot read the event ${type}.v${version} at position ${position}.${isOlder ? '' : ' A newer version wrote it.'}`,
  );
}

/** An event of version 1 does not name its test: a fold that needs the name takes it from the result. */
function finishedWithoutTestName(data: PastEventData['ResultFinished.v1']): EventData['ResultFinished'] {
  return { ...data, test_name: null };
}

function updatedWithoutTestName(data: PastEventData['ResultUpdated.v1']): EventData['ResultUpdated'] {
  return { ...data, test_name: null };
}

/** Projects had no default branch, so they have the one that is the default for new projects too. */
function createdOnMain(data: PastEventData['ProjectCreated.v1']): EventData['ProjectCreated'] {
  return { ...data, default_branch: DEFAULT_BRANCH };
}

function createdWithoutKey(data: PastEventData['RunCreated.v1']): EventData['RunCreated'] {
  return { ...data, run_key: null };
}

/** The newer version allows fields or values that older events do not have. */
function unchanged(data: unknown): unknown {
  return data;
}

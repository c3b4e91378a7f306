/** The events that the audit of a team tells, and what each of them tells. */
import type { EventData, EventType, Fact } from '../events.js';
import { fieldsIn, type ActType, type Details } from './acts.js';

/** To whom or what something was done, by its id. */
export type Subject = { type: string; id: string };

export type Entry = { type: string; subject: Subject; details: Details };

/** Where somebody did something from, as far as it is kept: a network and a family of programs, not the address itself. */
export type Client = { network: string; agent: string };

/**
 * The same as it is stored beside the data of the event: of a person, sealed with their key, so
 * that it is forgotten with them.
 */
export type StoredClient = { person_id: string; sealed: string } | Client;

type Tell<T extends EventType> = (data: EventData[T], stream: string) => Entry;

const telling: { [T in EventType]?: Tell<T> } = {
  ActRecorded: ({ act: type, subject, details }) => ({ type, subject, details: { ...details } }),
  MemberAdded: ({ person_id, role }) => entry('member_added', 'person', person_id, { role }),
  MemberRoleChanged: ({ person_id, role }) => entry('member_changed', 'person', person_id, { role }),
  MemberRemoved: ({ person_id }) => entry('member_removed', 'person', person_id),
  KeyCreated: ({ key_id, role }) => entry('key_made', 'key', key_id, { role }),
  KeyTakenOver: ({ key_id }) => entry('key_taken_over', 'key', key_id),
  KeyRevoked: ({ key_id }) => entry('key_revoked', 'key', key_id),
  TeamSettingsChanged: (data, team) => entry('team_changed', 'team', team, { changed: changed(data) }),
  ProjectDescribed: ({ project_id, ...data }) =>
    entry('project_changed', 'project', project_id, { changed: changed(data) }),
  ProjectStatusChanged: ({ project_id, status }) =>
    entry('project_changed', 'project', project_id, { changed: 'the status', status }),
  ResultRedacted: ({ result_id, reason }) => entry('redacted', 'result', result_id, { reason }),
  RunRedacted: ({ run_id, reason }) => entry('redacted', 'run', run_id, { reason }),
  RunPurged: ({ run_id, project_id }) => entry('purged', 'run', run_id, { project_id }),
  ProjectPurged: ({ project_id }) => entry('purged', 'project', project_id),
  TextRedacted: ({ redaction_id, reason, places }) =>
    entry('redacted', 'text', redaction_id, { reason, places }),
  TrustCreated: ({ trust_id, project_id, issuer }) =>
    entry('trust_made', 'trust', trust_id, { project_id, issuer }),
  TrustRemoved: ({ trust_id, project_id }) => entry('trust_removed', 'trust', trust_id, { project_id }),
  WebhookCreated: ({ webhook_id }) => entry('webhook_made', 'webhook', webhook_id),
  WebhookChanged: ({ webhook_id, origin: _, sealed: url, ...data }) =>
    entry('webhook_changed', 'webhook', webhook_id, {
      change: changed({ ...(url !== undefined && { url }), ...data }),
    }),
  WebhookEnabled: ({ webhook_id }) => entry('webhook_changed', 'webhook', webhook_id, { change: 'enabled' }),
  WebhookDisabled: ({ webhook_id, reason }) =>
    entry('webhook_changed', 'webhook', webhook_id, { change: 'disabled', reason }),
  WebhookSecretRotated: ({ webhook_id }) =>
    entry('webhook_changed', 'webhook', webhook_id, { change: 'the secret' }),
  WebhookDeleted: ({ webhook_id }) => entry('webhook_deleted', 'webhook', webhook_id),
};

export const toldTypes = Object.keys(telling) as readonly EventType[];

const isToldType: ReadonlySet<string> = new Set(toldTypes);

/** Whether the audit tells events of this type, so that they have a client beside their data. */
export function isTold(type: string): boolean {
  return isToldType.has(type);
}

/** What an event tells; null for all others. `id`: that of its stream. */
export function entryOf({ type, data }: Fact, id: string): Entry | null {
  // One cast for the whole table: TypeScript does not see that the function of a type takes its data.
  const tell = telling[type] as Tell<EventType> | undefined;
  return tell?.(data, id) ?? null;
}

function entry(type: ActType, of: string, id: string, details: Details = {}): Entry {
  return { type, subject: { type: of, id }, details };
}

function changed(data: object): string {
  return fieldsIn(Object.keys(data));
}

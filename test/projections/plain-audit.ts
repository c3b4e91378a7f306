/** The audit of a history, looked up event by event: what `docs/api.md` says of each. */
import { fromUUID } from 'typeid-js';
import type { LedgerEvent } from '../../src/domain/events.js';

export function auditOf(events: readonly LedgerEvent[]): Map<string, object> {
  const entries = new Map<string, object>();
  for (const { id, type, data, meta, position } of events) {
    const said = entryOf(type, data as unknown as Data, meta.team_id);
    if (said === null) continue;
    const [kind, of, subject, details] = said;
    const entry_id = fromUUID(id, 'event');
    entries.set(`audit/${entry_id}`, {
      entry_id,
      team_id: meta.team_id,
      place: `${meta.at} ${position}`,
      at: meta.at,
      actor: meta.actor,
      type: kind,
      subject: { type: of, id: subject },
      details,
      client: meta.facts?.['client'] ?? null,
      position,
    });
  }
  return entries;
}

type Data = Record<string, string>;
type Said = [type: string, of: string, subject: string, details: object];

function entryOf(type: string, data: Data, team: string): Said | null {
  switch (type) {
    case 'MemberAdded':
      return ['member_added', 'person', data['person_id']!, { role: data['role'] }];
    case 'MemberRoleChanged':
      return ['member_changed', 'person', data['person_id']!, { role: data['role'] }];
    case 'MemberRemoved':
      return ['member_removed', 'person', data['person_id']!, {}];
    case 'ResultRedacted':
      return ['redacted', 'result', data['result_id']!, { reason: data['reason'] }];
    case 'RunRedacted':
      return ['redacted', 'run', data['run_id']!, { reason: data['reason'] }];
    case 'KeyTakenOver':
      return ['key_taken_over', 'key', data['key_id']!, {}];
    case 'KeyCreated':
      return ['key_made', 'key', data['key_id']!, { role: data['role'] }];
    case 'KeyRevoked':
      return ['key_revoked', 'key', data['key_id']!, {}];
    case 'TeamSettingsChanged':
      return ['team_changed', 'team', team, { changed: 'the gate' }];
    case 'ProjectDescribed':
      return ['project_changed', 'project', data['project_id']!, { changed: named(data, 'project_id') }];
    case 'ProjectStatusChanged': {
      const { status } = data;
      return ['project_changed', 'project', data['project_id']!, { changed: 'the status', status }];
    }
    case 'WebhookCreated':
      return ['webhook_made', 'webhook', data['webhook_id']!, {}];
    case 'WebhookDeleted':
      return ['webhook_deleted', 'webhook', data['webhook_id']!, {}];
    case 'WebhookChanged':
      return [
        'webhook_changed',
        'webhook',
        data['webhook_id']!,
        { change: named(urlNamed(data), 'webhook_id') },
      ];
    case 'WebhookEnabled':
      return ['webhook_changed', 'webhook', data['webhook_id']!, { change: 'enabled' }];
    case 'WebhookDisabled': {
      const { reason } = data;
      return ['webhook_changed', 'webhook', data['webhook_id']!, { change: 'disabled', reason }];
    }
    case 'WebhookSecretRotated':
      return ['webhook_changed', 'webhook', data['webhook_id']!, { change: 'the secret' }];
    default:
      return null;
  }
}

function urlNamed({ origin: _, sealed, ...data }: Data): Data {
  return sealed === undefined ? data : { url: sealed, ...data };
}

function named(data: Data, but: string): string {
  const names = Object.keys(data)
    .filter((name) => name !== but)
    .map((name) => `the ${name.replace('_', ' ')}`);
  const last = names.pop()!;
  return names.length === 0 ? last : `${names.join(', ')} and ${last}`;
}

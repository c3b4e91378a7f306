/** A webhook: where a team's events are sent, and which of them (docs/api.md, sections 3 and 5). */
import { isDeepStrictEqual } from 'node:util';
import { fail } from '../errors.js';
import { differences, type Decider } from './decider.js';
import { START, type Instant, type Position } from './event.js';
import type { EventData, Fact, WebhookEvent } from './events.js';
import { messageTypes, type MessageType } from './message-types.js';

/** What may be subscribed to; `*` is all of it. */
export type Subscription = EventData['WebhookCreated']['events'][number];
export type DisabledReason = EventData['WebhookDisabled']['reason'];

export type WebhookRecord = {
  webhook_id: string;
  url: string;
  events: readonly Subscription[];
  enabled: boolean;
  /** Null while it is enabled. */
  disabled_reason: DisabledReason | null;
  created_at: Instant;
  /** Where it was created or last enabled: it gets what comes after. */
  since: Position;
};

/** The fields that decide which messages a webhook gets. */
export type SubscribedWebhook = Pick<WebhookRecord, 'webhook_id' | 'events' | 'enabled' | 'since'>;

export type Webhook = { life: 'none' } | { life: 'gone' } | ({ life: 'present' } & WebhookRecord);

export type WebhookCommand =
  | { type: 'CreateWebhook'; webhook_id: string; url: string; events: readonly Subscription[] }
  | { type: 'ChangeWebhook'; url?: string; events?: readonly Subscription[]; enabled?: boolean }
  /**
   * By the program: the endpoint said that it is gone, or has answered nothing but failure for days. `since` and
   * `url`: of the webhook to which it did; where somebody has enabled it meanwhile, or it leads elsewhere, that is over.
   */
  | { type: 'DisableWebhook'; reason: Exclude<DisabledReason, 'requested'>; since?: Position; url?: string }
  | { type: 'DeleteWebhook' }
  | { type: 'RotateSecret'; previous_until: Instant }
  | { type: 'PingWebhook' };

export const webhook: Decider<Webhook, WebhookCommand, WebhookEvent> = {
  initial: { life: 'none' },

  decide(command, state) {
    if (command.type === 'CreateWebhook') {
      if (state.life !== 'none') fail('write_conflict', 'The webhook is there already.');
      const { webhook_id, url, events } = command;
      return [{ type: 'WebhookCreated', data: { webhook_id, url, events: [...events] } }];
    }
    const present = mustBeThere(state);
    const { webhook_id } = present;
    switch (command.type) {
      case 'ChangeWebhook':
        return change(present, command);
      case 'DisableWebhook':
        if (!present.enabled || !isSame({ ...present, ...command }, present)) return [];
        return [{ type: 'WebhookDisabled', data: { webhook_id, reason: command.reason } }];
      case 'DeleteWebhook':
        return [{ type: 'WebhookDeleted', data: { webhook_id } }];
      case 'RotateSecret':
        return [
          { type: 'WebhookSecretRotated', data: { webhook_id, previous_until: command.previous_until } },
        ];
      case 'PingWebhook':
        mustBeEnabled(present);
        return [{ type: 'WebhookPinged', data: { webhook_id } }];
    }
  },

  evolve(state, event) {
    if (event.type === 'WebhookCreated') {
      const { webhook_id, url, events } = event.data;
      const enabled = { enabled: true, disabled_reason: null, since: event.position ?? START } as const;
      return { life: 'present', webhook_id, url, events, ...enabled, created_at: event.meta.at };
    }
    if (state.life !== 'present') return state;
    switch (event.type) {
      case 'WebhookChanged':
        return { ...state, ...event.data };
      case 'WebhookEnabled':
        return { ...state, enabled: true, disabled_reason: null, since: event.position ?? START };
      case 'WebhookDisabled':
        return { ...state, enabled: false, disabled_reason: event.data.reason };
      case 'WebhookDeleted':
        return { life: 'gone' };
      default:
        return state;
    }
  },
};

/** Whether what was sent to the one says anything about the other: nobody has enabled it since, or moved it. */
export function isSame(one: Led, other: Led): boolean {
  return one.since === other.since && one.url === other.url;
}

type Led = Pick<WebhookRecord, 'since' | 'url'>;

/** Whether a subscription to these events includes messages of a type. Pings are part of none: each goes to one webhook. */
export function isSubscribed(events: readonly string[], type: MessageType): boolean {
  return messageTypes[type].subscribable && (events.includes('*') || events.includes(type));
}

/** @throws LedgerError `not_found` for one that never was or is deleted. */
export function mustBeThere(state: Webhook): WebhookRecord {
  return state.life === 'present' ? state : fail('not_found', 'There is no such webhook.');
}

/** Refuses what would have something sent to a webhook that gets nothing. @throws LedgerError `webhook_disabled` */
export function mustBeEnabled({ enabled }: Pick<WebhookRecord, 'enabled'>): void {
  if (!enabled) fail('webhook_disabled', 'The webhook is disabled: enable it first.');
}

function change(
  present: WebhookRecord,
  { type: _, enabled = present.enabled, ...wanted }: Extract<WebhookCommand, { type: 'ChangeWebhook' }>,
): Fact<WebhookEvent>[] {
  const { webhook_id } = present;
  const facts: Fact<WebhookEvent>[] = [];
  const { url, events } = differences<Described>(present, wanted, isDeepStrictEqual);
  if (url !== undefined || events !== undefined) {
    const changed = {
      ...(url !== undefined && { url }),
      ...(events !== undefined && { events: [...events] }),
    };
    facts.push({ type: 'WebhookChanged', data: { webhook_id, ...changed } });
  }
  if (enabled && !present.enabled) facts.push({ type: 'WebhookEnabled', data: { webhook_id } });
  if (!enabled && present.enabled) {
    facts.push({ type: 'WebhookDisabled', data: { webhook_id, reason: 'requested' } });
  }
  return facts;
}

type Described = { url?: string; events?: readonly Subscription[] };

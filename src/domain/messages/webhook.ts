/**
 * A webhook: where a team's events are sent, and the types of those events (docs/api.md, sections 3 and 5). The URL is often a
 * secret itself, so the log has it sealed with a key of the webhook, which State keeps until the webhook is deleted.
 */
import { isDeepStrictEqual } from 'node:util';
import { fail } from '../../errors.js';
import { maySee } from '../teams/access.js';
import { differences, type Decider } from '../decider.js';
import { START, type Instant, type Position } from '../event.js';
import type { EventData, Fact, WebhookEvent } from '../events.js';
import { mustBeNone, mustBePresent } from '../life.js';
import type { About } from './about.js';
import type { MessageType } from './message-types.js';
import { untold } from './group-payload.js';
import type { Format } from './chat/format.js';
import type { Per } from './per.js';
import { chosen, passes, type WebhookFilter } from './webhook-filter.js';
import { limits } from '../../limits.js';

/** An event to which webhooks may subscribe; `*` for all. */
export type Subscription = EventData['WebhookCreated']['events'][number];
export type DisabledReason = EventData['WebhookDisabled']['reason'];

export type WebhookRecord = {
  webhook_id: string;
  /** Scheme and host of the URL, for display. */
  origin: string;
  /** The URL, sealed (`webhooks/endpoint/secrets.ts`). */
  sealed: string;
  events: readonly Subscription[];
  /** The projects whose messages it gets; null for all of the team. */
  project_ids: readonly string[] | null;
  /** Which of these messages it gets; absent or null for all of them. */
  filter?: WebhookFilter | null;
  /** Absent for `test`. */
  per?: Per;
  /** Absent for `standard`. */
  format?: Format;
  /** Since when it reaches these: where its messages were of other projects before, they are none of a key that sees these. */
  reached_since: { position: Position; at: Instant };
  enabled: boolean;
  /** Null while it is enabled. */
  disabled_reason: DisabledReason | null;
  created_at: Instant;
  /** The position of its creation or last enabling: it gets later events. */
  since: Position;
};

/** The fields that decide which messages a webhook gets. */
export type SubscribedWebhook = Pick<
  WebhookRecord,
  'webhook_id' | 'events' | 'project_ids' | 'filter' | 'per' | 'enabled' | 'since'
>;

/** What a new webhook is for. */
export type WantedWebhook = Pick<
  WebhookRecord,
  'origin' | 'sealed' | 'events' | 'project_ids' | 'filter' | 'per' | 'format'
>;

export type Webhook = { life: 'none' } | { life: 'gone' } | ({ life: 'present' } & WebhookRecord);

/** The fields that a user may change. */
export type WebhookChanges = Partial<WantedWebhook> & { enabled?: boolean };

export type WebhookCommand =
  | ({ type: 'CreateWebhook'; webhook_id: string } & WantedWebhook)
  | ({ type: 'ChangeWebhook' } & WebhookChanges)
  /**
   * From the dispatcher, if the endpoint answers 410 Gone or has failed for days. `since` and `sealed` are those of the
   * webhook that failed: if a user has enabled it again or moved it meanwhile, it is not disabled.
   */
  | {
      type: 'DisableWebhook';
      reason: Exclude<DisabledReason, 'requested'>;
      since?: Position;
      sealed?: string;
    }
  | { type: 'DeleteWebhook' }
  /** Gives up an id under which nothing is recorded yet. */
  | { type: 'VoidWebhook'; webhook_id: string }
  | { type: 'RotateSecret'; previous_until: Instant }
  | { type: 'PingWebhook' };

export const webhook: Decider<Webhook, WebhookCommand, WebhookEvent> = {
  initial: { life: 'none' },

  decide(command, state) {
    if (command.type === 'CreateWebhook') {
      mustBeNone(state, 'webhook');
      const {
        webhook_id,
        origin,
        sealed,
        events,
        project_ids,
        filter,
        per = 'test',
        format = 'standard',
      } = command;
      const reach = {
        events: [...events],
        project_ids: project_ids && [...project_ids],
        ...(filter && { filter }),
        ...(per !== 'test' && { per }),
        ...(format !== 'standard' && { format }),
      };
      return [{ type: 'WebhookCreated', data: { webhook_id, origin, sealed, ...reach } }];
    }
    if (command.type === 'VoidWebhook') {
      const { webhook_id } = command;
      return state.life === 'none' ? [{ type: 'WebhookDeleted', data: { webhook_id } }] : [];
    }
    const present = mustBePresent(state, 'webhook');
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
      const enabled = { enabled: true, disabled_reason: null, since: event.position ?? START } as const;
      const reached_since = momentOf(event);
      return { life: 'present', ...event.data, reached_since, ...enabled, created_at: event.meta.at };
    }
    if (event.type === 'WebhookDeleted') return { life: 'gone' };
    if (state.life !== 'present') return state;
    switch (event.type) {
      case 'WebhookChanged':
        return {
          ...state,
          ...event.data,
          ...(event.data.project_ids !== undefined && { reached_since: momentOf(event) }),
        };
      case 'WebhookEnabled':
        return { ...state, enabled: true, disabled_reason: null, since: event.position ?? START };
      case 'WebhookDisabled':
        return { ...state, enabled: false, disabled_reason: event.data.reason };
      default:
        return state;
    }
  },

  most: {
    events: limits.eventsPerStream,
    // Nothing enables a webhook again once its stream is full, so it is disabled once at most.
    isExempt: ({ type }) => type === 'DeleteWebhook' || type === 'DisableWebhook',
  },
};

/**
 * Whether an attempt to one says something about the other: the webhook was neither enabled again nor moved in between.
 */
export function isSame(one: Target, other: Target): boolean {
  return one.since === other.since && one.sealed === other.sealed;
}

type Target = Pick<WebhookRecord, 'since' | 'sealed'>;

/**
 * Whether the messages that a webhook gets include one. No subscription includes pings: each ping goes to one webhook.
 */
export function isSubscribed(
  webhook: Pick<WebhookRecord, 'events' | 'project_ids' | 'filter' | 'per'>,
  message: { type: MessageType; about: About },
): boolean {
  if (message.type === 'webhook.ping' || !isInReach(webhook, message)) return false;
  const { filter = null } = webhook;
  return asksFor(webhook, message) && (filter === null || passes(filter, message.about));
}

/** What a webhook with `per` gets for the failures of runs, and what it does not get for them. */
function asksFor(
  { events, filter = null, per = 'test' }: Pick<WebhookRecord, 'events' | 'filter' | 'per'>,
  { type, about }: { type: MessageType; about: About },
): boolean {
  const names = (one: MessageType) => events.includes('*') || (events as readonly string[]).includes(one);
  if (type === 'group.failed') return per === 'group' && names('test.failed');
  if (about.kind === 'result' && about.run_id !== null && per !== 'test') return false;
  if (names(type)) return true;
  if (about.kind !== 'run' || per !== 'run' || !names('test.failed')) return false;
  return chosen(filter, untold(about.failures)).length > 0;
}

/** Whether a message is of the projects of a webhook. A ping is of none, and goes to its own webhook. */
export function isInReach(
  { project_ids }: Pick<WebhookRecord, 'project_ids'>,
  { type, about }: { type: MessageType; about: About },
): boolean {
  return type === 'webhook.ping' || maySee({ project_ids }, projectOf(about));
}

function projectOf(about: About): string | null {
  switch (about.kind) {
    case 'test':
    case 'known_failure':
      return about.test.project_id;
    case 'webhook':
      return null;
    default:
      return about.project_id;
  }
}

/** For commands that send something to the webhook. @throws AppError `webhook_disabled` */
export function mustBeEnabled({ enabled }: Pick<WebhookRecord, 'enabled'>): void {
  if (!enabled) fail('webhook_disabled', 'The webhook is disabled: enable it first.');
}

function momentOf({ position, meta }: Parameters<typeof webhook.evolve>[1]): WebhookRecord['reached_since'] {
  return { position: position ?? START, at: meta.at };
}

function change(
  present: WebhookRecord,
  { type: _, enabled = present.enabled, ...wanted }: Extract<WebhookCommand, { type: 'ChangeWebhook' }>,
): Fact<WebhookEvent>[] {
  const { webhook_id } = present;
  const facts: Fact<WebhookEvent>[] = [];
  const other = differences<Omit<WebhookChanges, 'enabled'>>(
    { filter: null, per: 'test', format: 'standard', ...present },
    wanted,
    isDeepStrictEqual,
  );
  const { origin, sealed, events, project_ids, filter, per, format } = other;
  if (Object.keys(other).length > 0) {
    const changed = {
      ...(origin !== undefined && { origin }),
      ...(sealed !== undefined && { sealed }),
      ...(events !== undefined && { events: [...events] }),
      ...(project_ids !== undefined && { project_ids: project_ids && [...project_ids] }),
      ...(filter !== undefined && { filter }),
      ...(per !== undefined && { per }),
      ...(format !== undefined && { format }),
    };
    facts.push({ type: 'WebhookChanged', data: { webhook_id, ...changed } });
  }
  if (enabled && !present.enabled) facts.push({ type: 'WebhookEnabled', data: { webhook_id } });
  if (!enabled && present.enabled) {
    facts.push({ type: 'WebhookDisabled', data: { webhook_id, reason: 'requested' } });
  }
  return facts;
}

/**
 * The commands of webhooks, with their effects beside the event: on the secret, the pending deliveries and the health.
 */
import { eventIdOf } from '../../domain/test-history/test.js';
import { streamName } from '../../domain/event.js';
import { reachesNoFurther, type Reader } from '../../domain/teams/access.js';
import { mustBePresent, notFound } from '../../domain/life.js';
import {
  webhookPlaces,
  webhookPlacesStream,
  type WebhookPlace,
} from '../../domain/messages/webhook-places.js';
import { mustFit } from '../../domain/messages/chat/format.js';
import { limits } from '../../limits.js';
import { serializeByStream } from '../../commands/serialize-by-stream.js';
import {
  webhook,
  type WantedWebhook,
  type Webhook,
  type WebhookChanges,
  type WebhookRecord,
} from '../../domain/messages/webhook.js';
import { fail } from '../../errors.js';
import { addMilliseconds } from '../../clock.js';
import type { CommandContext } from '../../commands/command-context.js';
import type { CommandHandler } from '../../commands/command-handler.js';
import type { Deliveries } from '../../ports/deliveries.js';
import type { State } from '../../ports/state.js';
import { streamNameOf } from '../../domain/teams/team-streams.js';
import { forgetFailures, forgetHealth, healthOf, type LastDelivery } from './health.js';
import { OVERLAP_MS, type WebhookSecrets } from './secrets.js';

/** What a user wants of a webhook: the URL as it is. */
export type AskedWebhook = { url: string } & Omit<WantedWebhook, 'origin' | 'sealed'>;
export type AskedChanges = Partial<AskedWebhook> & Pick<WebhookChanges, 'enabled'>;

/** Functions that take an id throw AppError `not_found` if the team has no such webhook. */
export type Webhooks = {
  /** The webhook as the log has it now, if it exists for the reader. */
  load(reader: Reader, id: string): Promise<WebhookRecord>;
  /** @throws AppError `webhook_limit` */
  create(context: CommandContext, asked: AskedWebhook): Promise<{ record: WebhookRecord; secret: string }>;
  /** @throws AppError `validation_failed` where the URL does not take messages in the format */
  change(context: CommandContext, target: Target, changes: AskedChanges): Promise<WebhookRecord>;
  remove(context: CommandContext, target: Target): Promise<void>;
  /** The id of the ping's event. @throws AppError `webhook_disabled` */
  ping(context: CommandContext, target: Target): Promise<string>;
  rotate(context: CommandContext, target: Target): Promise<{ record: WebhookRecord; secret: string }>;
  lastDelivery(id: string): Promise<LastDelivery | null>;
};

/**
 * A webhook that a reader acts on. Whether it exists for the reader is a part of the decision: it may reach further by the time
 * that the event is appended.
 */
export type Target = { id: string; reader: Reader };

/** A request that takes a place creates its webhook within this time, or never. */
const ABANDONED_MS = 60_000;

/** Long because it has all commands of webhooks: each is short, and they share the stores. */
export function openWebhooks({
  commands,
  state,
  deliveries,
  secrets,
  origin,
}: {
  commands: CommandHandler;
  state: State;
  deliveries: Deliveries;
  secrets: WebhookSecrets;
  /** The address of this server, to which messages of chats link; null without one. */
  origin: string | null;
}): Webhooks {
  const inTurn = serializeByStream(commands);
  const streamOf = (team: string, id: string) => streamNameOf('webhook', team, id);

  /**
   * Takes a place for a webhook. The views may be behind, and many requests may come at once: only the stream of places
   * decides. Where all places are taken, it looks which of their webhooks are gone.
   */
  async function reserve(context: CommandContext, webhook_id: string): Promise<void> {
    const stream = webhookPlacesStream(context.team);
    await inTurn.execute(webhookPlaces, stream, context, async ({ taken }) => {
      const isFull = taken.length >= limits.webhooksPerTeam;
      const gone = isFull ? await Promise.all(taken.map((place) => isGone(context, place))) : [];
      const released = taken.filter((_, n) => gone[n] === true).map((place) => place.webhook_id);
      return { type: 'ReserveWebhook', webhook_id, released } as const;
    });
  }

  async function isGone(context: CommandContext, { webhook_id, at }: WebhookPlace): Promise<boolean> {
    const stream = streamName('webhook', context.team, webhook_id);
    const { life } = await commands.load(webhook, stream);
    if (life !== 'none') return life === 'gone';
    if (Date.parse(at) + ABANDONED_MS > Date.parse(context.at)) return false;
    // Its request died, or is held up. It must not create the webhook later, when its place belongs to another one.
    const { state: voided } = await commands.execute(webhook, stream, context, {
      type: 'VoidWebhook',
      webhook_id,
    });
    return voided.life === 'gone';
  }

  /** A change of neither is allowed whatever the webhook has: it may switch one off that cannot send any more. */
  function mustStillFit(now: WebhookRecord, url: string | null, wanted: AskedChanges): void {
    const present = now.format ?? 'standard';
    const format = wanted.format ?? present;
    if (url !== null || format !== present) mustFit({ url: url ?? now.origin, format }, origin);
  }

  return {
    async load(reader, id) {
      const record = mustBePresent(await commands.load(webhook, streamOf(reader.team_id, id)), 'webhook');
      return reachesNoFurther(reader, record.project_ids) ? record : notFound('webhook');
    },

    async create(context, { url, ...wanted }) {
      const webhook_id = context.ids.created('webhook');
      const stream = streamOf(context.team, webhook_id);
      const create = async () => {
        await reserve(context, webhook_id);
        // Before the event: after any crash, there is no webhook without a secret.
        await secrets.create(webhook_id, context.at);
        const sealed = await secrets.sealUrl(webhook_id, url, context.at);
        return { type: 'CreateWebhook', webhook_id, ...sealed, ...wanted } as const;
      };
      const { state } = await commands.execute(webhook, stream, context, create, { newStream: true });
      const [secret] = await secrets.secretsOf(webhook_id, context.at);
      if (secret === undefined) fail('not_found', 'The webhook was deleted meanwhile.');
      return { record: mustBePresent(state, 'webhook'), secret };
    },

    async change(context, target, { url, ...changes }) {
      const { id } = target;
      const { state: after } = await commands.execute(
        webhook,
        streamOf(context.team, id),
        context,
        async (now) => {
          mustReach(context, target, now);
          // Before the event: failures of days ago must not disable a webhook that was just enabled or moved.
          const isOther = now.life === 'present' && url !== undefined && url !== (await secrets.urlOf(now));
          if (now.life === 'present') mustStillFit(now, isOther ? url : null, changes);
          const enables = now.life === 'present' && !now.enabled && changes.enabled === true;
          if (enables || isOther) await forgetFailures(state, id);
          const moved = isOther ? await secrets.sealUrl(id, url, context.at) : {};
          return { type: 'ChangeWebhook', ...moved, ...changes } as const;
        },
      );
      const record = mustBePresent(after, 'webhook');
      // Also if it was disabled before: a repeated request has the same effect.
      if (changes.enabled === false) await deliveries.updatePending(id, 'cancel', context.at);
      return record;
    },

    async remove(context, target) {
      const { id } = target;
      const stream = streamOf(context.team, id);
      const { life } = await commands.load(webhook, stream);
      const forget = async () => {
        await deliveries.updatePending(id, 'cancel', context.at);
        await secrets.forget(id);
        await forgetHealth(state, id);
      };
      // Finishes a deletion that was cut off before.
      if (life === 'gone') await forget();
      await commands.execute(webhook, stream, context, async (now) => {
        mustReach(context, target, now);
        return { type: 'DeleteWebhook' } as const;
      });
      await forget();
    },

    async ping(context, target) {
      const stream = streamOf(context.team, target.id);
      const pinged = context.ids.event(stream, 0);
      const ids = { ...context.ids, event: () => pinged };
      await commands.execute(webhook, stream, { ...context, ids }, async (now) => {
        mustReach(context, target, now);
        return { type: 'PingWebhook' } as const;
      });
      return eventIdOf(pinged);
    },

    async rotate(context, target) {
      const { id } = target;
      const previous_until = addMilliseconds(context.at, OVERLAP_MS);
      const rotation = { now: context.at, previousUntil: previous_until };
      let secret: string | undefined;
      const stream = streamOf(context.team, id);
      const { state, appended } = await commands.execute(webhook, stream, context, async (now) => {
        mustReach(context, target, now);
        // Before the event, as in `create`, and only once for all tries of the event.
        if (now.life === 'present') secret ??= await secrets.rotate(id, rotation);
        return { type: 'RotateSecret', previous_until } as const;
      });
      if (appended === null || secret === undefined) {
        fail('already_answered', 'This was done before; the secret in the answer is shown only once.');
      }
      return { record: mustBePresent(state, 'webhook'), secret };
    },

    lastDelivery: async (id) => (await healthOf(state, id)).last_delivery,
  };
}

/** @throws AppError `not_found` where the webhook does not exist for the reader */
function mustReach({ touched }: CommandContext, { reader }: Target, now: Webhook): void {
  if (now.life !== 'present') return;
  if (!reachesNoFurther(reader, now.project_ids)) notFound('webhook');
  for (const project of now.project_ids ?? []) touched?.(project);
}

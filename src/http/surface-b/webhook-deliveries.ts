/** Surface B: the deliveries of a webhook, and their repetition. */
import { findPage, type CountedPage, type FindCounted } from '../../queries/find-page.js';
import { recover } from '../../webhooks/fan-out/recover.js';
import { resend } from '../../webhooks/delivery/resend.js';
import type { Webhooks } from '../../webhooks/endpoint/webhooks.js';
import type { Delivery, DeliveryState } from '../../domain/messages/delivery.js';
import type { Reader } from '../../domain/teams/access.js';
import { normaliseInstant } from '../../domain/instant.js';
import { placeAfter, type OutboxPosition } from '../../domain/messages/message.js';
import { mustBeEnabled, type WebhookRecord } from '../../domain/messages/webhook.js';
import { invalid } from '../../errors.js';
import type { components } from '../../client/api.generated.js';
import { ok, withBody, type Route } from '../route.js';
import type { Sources } from '../sources.js';
import { paged, requestedPage } from './pages.js';

export function deliveryRoutes(
  webhooks: Webhooks,
  { deliveries, historyViews: views, freshness, webhookHistoryMs: historyMs }: Sources,
): Route[] {
  return [
    {
      method: 'GET',
      path: '/webhooks/:id/deliveries',
      operation: {
        id: 'listDeliveries',
        summary: 'Lists the deliveries of a webhook, newest first',
        answers: { 200: { page: 'Delivery' } },
      },
      role: 'admin',
      query: 'DeliveriesQuery',
      async handle({ key, params, query }) {
        const load = () => webhooks.load(key, params['id']!);
        const page = requestedPage({ query });
        const state = query['state'] as DeliveryState | undefined;
        for (let record = await load(); ;) {
          const { webhook_id: id, reached_since } = record;
          const after = hiddenUntil(key, record);
          const { items, total } = await newest(deliveries, { id, state, after }, page);
          // It may have reached further while they were read.
          if (after !== null) record = await load();
          if (record.reached_since.position === reached_since.position)
            return ok(paged(items.map(deliveryData), total, page));
        }
      },
    },
    {
      method: 'POST',
      path: '/webhooks/:id/deliveries/:delivery/resend',
      operation: {
        id: 'resendDelivery',
        summary: 'Sends a message to a webhook again',
        answers: { 202: { data: 'Delivery' } },
        errors: ['webhook_disabled'],
      },
      role: 'admin',
      async handle({ key, context, params }) {
        const record = await webhooks.load(key, params['id']!);
        for (const project of record.project_ids ?? []) context.touched?.(project);
        mustBeEnabled(record);
        const after = hiddenUntil(key, record);
        const wanted = { webhook: record.webhook_id, delivery: params['delivery']!, after, now: context.at };
        const sent = await resend({ deliveries, views }, wanted);
        return { status: 202, body: { data: deliveryData(sent) } };
      },
    },
    {
      method: 'POST',
      path: '/webhooks/:id/recover',
      operation: {
        id: 'recoverWebhook',
        summary: 'Makes the deliveries that a webhook has missed since an instant',
        answers: { 202: { data: 'Recovery' } },
        errors: ['webhook_disabled'],
      },
      role: 'admin',
      ...withBody('RecoverWebhook', async ({ key, context, params, body }) => {
        const since =
          normaliseInstant(body.since) ?? invalid('/since', 'not_an_instant', 'must be an instant');
        const load = () => webhooks.load(key, params['id']!);
        for (const project of (await load()).project_ids ?? []) context.touched?.(project);
        const { team, at: now } = context;
        const count = await recover(
          { deliveries, views, freshness: freshness.history, historyMs, load },
          { team, since, now },
        );
        return { status: 202, body: { data: { count } } };
      }),
    },
  ];
}

type Listed = { id: string; state: DeliveryState | undefined; after: OutboxPosition | null };

function newest(
  deliveries: Pick<Sources['deliveries'], 'find'>,
  { id, state, after }: Listed,
  { offset, per_page: limit }: { offset: number; per_page: number },
): Promise<CountedPage<Delivery>> {
  const find: FindCounted<Delivery> = ({ sort: { direction }, ...part }) =>
    deliveries.find(id, {
      direction,
      offset: part.offset,
      limit: part.limit,
      ...(state && { state }),
      ...(after && { after }),
    });
  const sort = { field: 'place', direction: 'descending' } as const;
  return findPage(find, { where: {}, sort, offset, limit });
}

/**
 * A key that is narrowed to projects sees no delivery from before the webhook was: it may be of a project that does not exist
 * for the key.
 */
function hiddenUntil(key: Reader, { reached_since }: WebhookRecord): OutboxPosition | null {
  return key.project_ids === null ? null : placeAfter(reached_since.position);
}

function deliveryData({
  id,
  webhook_id,
  event_id,
  type,
  state,
  attempts,
  next_attempt_at,
}: Delivery): components['schemas']['Delivery'] {
  return { id, webhook_id, event_id, type, state, attempts: [...attempts], next_attempt_at };
}

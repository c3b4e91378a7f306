/** Surface B: webhooks. */
import { webhookDocuments } from '../../../projections/records/webhooks.js';
import type { LastDelivery } from '../../webhooks/endpoint/health.js';
import { checkTarget } from '../../webhooks/endpoint/target-url.js';
import { openSecrets } from '../../webhooks/endpoint/secrets.js';
import { openWebhooks } from '../../webhooks/endpoint/webhooks.js';
import type { WebhookRecord } from '../../domain/messages/webhook.js';
import type { components } from '../../client/api.generated.js';
import { ok, withBody, type Route } from '../route.js';
import { findCounted } from '../../queries/find-page.js';
import type { Sources } from '../sources.js';
import { listed } from './pages.js';
import { deliveryRoutes } from './webhook-deliveries.js';

export function webhookRoutes(sources: Sources): Route[] {
  const { commands, state, deliveries, views, secretKeys, webhookAllow: allow } = sources;
  const webhooks = openWebhooks({ commands, state, deliveries, secrets: openSecrets(state, secretKeys) });
  const find = findCounted(views, webhookDocuments);
  const shown = async (record: WebhookRecord) =>
    webhookData(record, await webhooks.lastDelivery(record.webhook_id));

  return [
    {
      method: 'GET',
      path: '/webhooks',
      operation: {
        id: 'listWebhooks',
        summary: 'Lists the webhooks of the team',
        answers: { 200: { page: 'Webhook' } },
      },
      role: 'admin',
      wholeTeam: true,
      query: 'PageQuery',
      async handle(call) {
        await call.waitFor('records');
        const where = { team_id: call.key.team_id };
        return listed(call, {
          find,
          where,
          order: 'newest last',
          records: (all) => Promise.all(all.map(shown)),
        });
      },
    },
    {
      method: 'POST',
      path: '/webhooks',
      operation: {
        id: 'createWebhook',
        summary: 'Creates a webhook',
        answers: { 201: { data: 'WebhookWithSecret' } },
        errors: ['target_refused', 'webhook_limit', 'write_conflict'],
      },
      role: 'admin',
      wholeTeam: true,
      secret: true,
      location: '/v1/webhooks',
      ...withBody('CreateWebhook', async (call) => {
        checkTarget(call.body.url, allow);
        const { record, secret } = await webhooks.create(call.context, call.body);
        return { status: 201, body: { data: { ...(await shown(record)), secret } } };
      }),
    },
    {
      method: 'GET',
      path: '/webhooks/:id',
      operation: { id: 'getWebhook', summary: 'Shows a webhook', answers: { 200: { data: 'Webhook' } } },
      role: 'admin',
      wholeTeam: true,
      async handle({ key, params, waitFor }) {
        await waitFor('records');
        return ok({ data: await shown(await views.get(webhookDocuments, key, params['id']!)) });
      },
    },
    {
      method: 'PATCH',
      path: '/webhooks/:id',
      operation: {
        id: 'changeWebhook',
        summary: 'Changes the fields of a webhook that are sent',
        answers: { 200: { data: 'Webhook' } },
        errors: ['target_refused', 'event_limit', 'write_conflict'],
      },
      role: 'admin',
      wholeTeam: true,
      ...withBody('ChangeWebhook', async ({ context, params, body }) => {
        if (body.url !== undefined) checkTarget(body.url, allow);
        return ok({ data: await shown(await webhooks.change(context, params['id']!, body)) });
      }),
    },
    {
      method: 'DELETE',
      path: '/webhooks/:id',
      operation: {
        id: 'deleteWebhook',
        summary: 'Deletes a webhook and cancels its deliveries',
        answers: { 204: null },
        errors: ['write_conflict'],
      },
      role: 'admin',
      wholeTeam: true,
      async handle({ context, params }) {
        await webhooks.remove(context, params['id']!);
        return { status: 204 };
      },
    },
    {
      method: 'POST',
      path: '/webhooks/:id/ping',
      operation: {
        id: 'pingWebhook',
        summary: 'Sends a ping to a webhook',
        answers: { 202: { data: 'Ping' } },
        errors: ['webhook_disabled', 'event_limit', 'write_conflict'],
      },
      role: 'admin',
      wholeTeam: true,
      async handle({ context, params }) {
        return { status: 202, body: { data: { event_id: await webhooks.ping(context, params['id']!) } } };
      },
    },
    {
      method: 'POST',
      path: '/webhooks/:id/rotate-secret',
      operation: {
        id: 'rotateWebhookSecret',
        summary: 'Makes a new secret of a webhook',
        answers: { 200: { data: 'WebhookWithSecret' } },
        errors: ['event_limit', 'write_conflict'],
      },
      role: 'admin',
      wholeTeam: true,
      secret: true,
      async handle({ context, params }) {
        const { record, secret } = await webhooks.rotate(context, params['id']!);
        return ok({ data: { ...(await shown(record)), secret } });
      },
    },
    ...deliveryRoutes(webhooks, sources),
  ];
}

function webhookData(
  record: WebhookRecord,
  last_delivery: LastDelivery | null,
): components['schemas']['Webhook'] {
  const { webhook_id: id, url, events, enabled, disabled_reason, created_at } = record;
  return { id, url, events: [...events], enabled, disabled_reason, created_at, last_delivery };
}

/** Surface B: webhooks. */
import { webhookDocuments } from '../../../projections/records/webhooks.js';
import type { LastDelivery } from '../../webhooks/endpoint/health.js';
import { checkTarget } from '../../webhooks/endpoint/target-url.js';
import { openSecrets } from '../../webhooks/endpoint/secrets.js';
import { openWebhooks, type AskedWebhook, type Target } from '../../webhooks/endpoint/webhooks.js';
import { reachesNoFurther, type Reader } from '../../domain/teams/access.js';
import { fail, invalid } from '../../errors.js';
import { limits } from '../../limits.js';
import { defaultPer, mustFit } from '../../domain/messages/chat/format.js';
import type { WebhookRecord } from '../../domain/messages/webhook.js';
import { filledFilter, type WebhookFilter } from '../../domain/messages/webhook-filter.js';
import { preview } from '../../webhooks/fan-out/preview.js';
import { openRenderer } from '../../webhooks/outbox/payload.js';
import type { components } from '../../client/api.generated.js';
import { ok, withBody, type Call, type Route } from '../route.js';
import { findCounted } from '../../queries/find-page.js';
import type { Sources } from '../sources.js';
import { listed, paged, requestedPage } from './pages.js';
import { deliveryRoutes } from './webhook-deliveries.js';

export function webhookRoutes(sources: Sources): Route[] {
  const {
    commands,
    state,
    deliveries,
    views,
    tests,
    secretKeys,
    webhookAllow: allow,
    publicUrl: origin,
  } = sources;
  const secrets = openSecrets(state, secretKeys);
  const webhooks = openWebhooks({ commands, state, deliveries, secrets, origin });
  const previews = openPreviews(sources);
  const find = findCounted(views, webhookDocuments);
  const shown = async (key: Reader, record: WebhookRecord) => {
    const [last, url] = await Promise.all([webhooks.lastDelivery(record.webhook_id), secrets.urlOf(record)]);
    // It may be of a project that the webhook reached before, and the key does not see.
    const isOwn = key.project_ids === null || (last !== null && last.at >= record.reached_since.at);
    // A webhook whose key is lost with SECRET_KEY shows where it led, and is sent nothing until it gets its URL again.
    return webhookData(record, url ?? record.origin, isOwn ? last : null);
  };

  const targetOf = ({ key, params }: Call): Target => ({ id: params['id']!, reader: key });

  /** @throws AppError `not_found` for a project that does not exist for the key, `forbidden` for all projects of the team */
  async function mustSeeAll({ key, context }: Call, project_ids: readonly string[] | null): Promise<void> {
    await Promise.all((project_ids ?? []).map((id) => tests.mustExist(key, id)));
    if (!reachesNoFurther(key, project_ids))
      fail('forbidden', 'A key cannot make a webhook of projects that it does not see itself.');
    for (const project of project_ids ?? []) context.touched?.(project);
  }

  /** @throws as `mustSeeAll`, AppError `validation_failed`, `target_refused` */
  async function wantedOf(call: Call & { body: NewWebhook }): Promise<AskedWebhook> {
    const { url, events, format = 'standard' } = call.body;
    const named = projectsIn(call.body);
    const project_ids = named === undefined ? call.key.project_ids : named;
    checkTarget(url, allow);
    mustFit({ url, format }, origin);
    await mustSeeAll(call, project_ids);
    const { per = defaultPer(format), filter } = call.body;
    return { url, events, project_ids, filter: filterIn(filter), per, format };
  }

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
      query: 'PageQuery',
      async handle(call) {
        await call.waitFor('records');
        const { team_id, project_ids } = call.key;
        const records = (all: readonly WebhookRecord[]) =>
          Promise.all(all.map(async (each) => shown(call.key, each)));
        if (project_ids === null)
          return listed(call, { find, where: { team_id }, order: 'newest last', records });
        // Of all that a team can have, a page holds those of a key.
        const sort = { field: 'created_position', direction: 'ascending' } as const;
        const { items } = await find({ where: { team_id }, sort, offset: 0, limit: limits.webhooksPerTeam });
        const own = items.filter((each) => reachesNoFurther(call.key, each.project_ids));
        const page = requestedPage(call);
        const part = own.slice(page.offset, page.offset + page.per_page);
        return ok(paged(await records(part), own.length, page));
      },
    },
    {
      method: 'POST',
      path: '/webhooks',
      operation: {
        id: 'createWebhook',
        summary: 'Creates a webhook',
        answers: { 201: { data: 'WebhookWithSecret' } },
        errors: ['not_found', 'target_refused', 'webhook_limit', 'write_conflict'],
      },
      role: 'admin',
      secret: true,
      location: '/v1/webhooks',
      ...withBody('CreateWebhook', async (call) => {
        const { record, secret } = await webhooks.create(call.context, await wantedOf(call));
        return { status: 201, body: { data: { ...(await shown(call.key, record)), secret } } };
      }),
    },
    {
      method: 'POST',
      path: '/webhooks/preview',
      operation: {
        id: 'previewWebhook',
        summary: 'Says what a webhook would have sent in the last seven days',
        answers: { 200: { data: 'WebhookPreview' } },
        errors: ['not_found', 'target_refused', 'overloaded'],
      },
      role: 'admin',
      ...withBody('CreateWebhook', async (call) => {
        const webhook = await wantedOf(call);
        await call.waitFor('history');
        return ok({ data: await previews(call, webhook) });
      }),
    },
    {
      method: 'GET',
      path: '/webhooks/:id',
      operation: { id: 'getWebhook', summary: 'Shows a webhook', answers: { 200: { data: 'Webhook' } } },
      role: 'admin',
      async handle({ key, params, waitFor }) {
        await waitFor('records');
        return ok({ data: await shown(key, await views.get(webhookDocuments, key, params['id']!)) });
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
      ...withBody('ChangeWebhook', async (call) => {
        const { context, body } = call;
        if (body.url !== undefined) checkTarget(body.url, allow);
        const project_ids = projectsIn(body);
        if (project_ids !== undefined) await mustSeeAll(call, project_ids);
        const { filter, ...others } = body;
        const changes = {
          ...others,
          ...(project_ids !== undefined && { project_ids }),
          ...(filter !== undefined && { filter: filterIn(filter) }),
        };
        return ok({ data: await shown(call.key, await webhooks.change(context, targetOf(call), changes)) });
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
      async handle(call) {
        await webhooks.remove(call.context, targetOf(call));
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
      async handle(call) {
        return {
          status: 202,
          body: { data: { event_id: await webhooks.ping(call.context, targetOf(call)) } },
        };
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
      secret: true,
      async handle(call) {
        const { record, secret } = await webhooks.rotate(call.context, targetOf(call));
        return ok({ data: { ...(await shown(call.key, record)), secret } });
      },
    },
    ...deliveryRoutes(webhooks, sources),
  ];
}

type NewWebhook = components['schemas']['CreateWebhook'];

function openPreviews({ log, contents, titles, masks, historyViews, publicUrl: origin, admission }: Sources) {
  const unmasked = async (team: string) => (await masks.current()).unmasked(team);
  const render = openRenderer(log, { titles, marked: contents.marked, unmasked });
  return async (
    { key, context }: Call,
    webhook: AskedWebhook,
  ): Promise<components['schemas']['WebhookPreview']> => {
    const wanted = { team: key.team_id, webhook, now: context.at };
    const found = await admission.run('previews', { team: key.team_id }, () =>
      preview({ views: historyViews, render, origin }, wanted),
    );
    return { ...found, examples: found.examples.map((body) => JSON.parse(body)) };
  };
}

function webhookData(
  record: WebhookRecord,
  url: string,
  last_delivery: LastDelivery | null,
): components['schemas']['Webhook'] {
  const {
    webhook_id: id,
    events,
    filter = null,
    per = 'test',
    format = 'standard',
    enabled,
    disabled_reason,
    created_at,
  } = record;
  const project_ids = record.project_ids && [...record.project_ids];
  return {
    id,
    url,
    events: [...events],
    project_ids,
    filter,
    per,
    format,
    enabled,
    disabled_reason,
    created_at,
    last_delivery,
  };
}

/** Beside the filter or in it; undefined where they are in neither. @throws AppError `validation_failed` where they are in both */
function projectsIn({ project_ids, filter }: Pick<NewWebhook, 'project_ids' | 'filter'>) {
  if (filter?.project_ids === undefined) return project_ids;
  if (project_ids !== undefined) invalid('/filter/project_ids', 'twice', 'must not repeat /project_ids');
  return filter.project_ids;
}

function filterIn(sent: Partial<WebhookFilter> | null = null): WebhookFilter | null {
  return sent === null ? null : filledFilter(sent);
}

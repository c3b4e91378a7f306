/** The webhooks of a team: the list, and a new one. */
import { formFault, type FormFault } from '../../form-fault.js';
import type { Page, PageReply, PageRequest, Shown } from '../../page.js';
import type { Paths } from '../../../client/api.generated.js';
import { AsOf } from '../../parts/as-of.js';
import { Form, Submit } from '../../parts/forms/form.js';
import { Live } from '../../parts/live.js';
import { Fault } from '../../parts/notice.js';
import { Ago } from '../../parts/time.js';
import { Table } from '../../parts/lists/table.js';
import { TeamPage } from './tabs.js';
import { PREVIEW_FAULTS, PreviewButton, WebhookPreview, type Preview } from './webhook-preview.js';
import {
  bodyOf,
  DeliveryState,
  filterText,
  formatWords,
  LIVE_EVERY_MS,
  projectsOfTeam,
  projectsText,
  Secret,
  WebhookFields,
  WebhookState,
  type Project,
  type SentWebhook,
} from './webhook-parts.js';

const base = '/teams/:team/team/webhooks';

export const webhooks: readonly Page[] = [
  {
    method: 'GET',
    path: base,
    role: 'admin',
    liveEveryMs: LIVE_EVERY_MS,
    handle: (request) => webhooksPage(request),
  },
  { method: 'POST', path: base, role: 'admin', handle: create },
  { method: 'POST', path: `${base}/preview`, role: 'admin', handle: previewNew },
  {
    // A reload of the page with a preview leads back.
    method: 'GET',
    path: `${base}/preview`,
    role: 'admin',
    handle: async (request) => ({ redirect: pathOf(request) }),
  },
];

async function create(request: PageRequest): Promise<PageReply> {
  const sent = bodyOf(request.form);
  try {
    const { data } = await request.api.send('post', '/v1/webhooks', { body: sent });
    // A chat verifies no signature.
    if (data.format === 'standard')
      request.once.keep(pathOf(request), { title: data.url, text: data.secret });
    return { redirect: pathOf(request) };
  } catch (error) {
    return webhooksPage(request, {
      fault: formFault(error, ['target_refused', 'webhook_limit', 'not_found']),
      sent,
    });
  }
}

async function previewNew(request: PageRequest): Promise<PageReply> {
  const sent = bodyOf(request.form);
  try {
    const { data: preview } = await request.api.send('post', '/v1/webhooks/preview', { body: sent });
    return webhooksPage(request, { sent, preview });
  } catch (error) {
    return webhooksPage(request, { fault: formFault(error, PREVIEW_FAULTS), sent });
  }
}

function pathOf({ team }: PageRequest): string {
  return `/teams/${team.team_id}/team/webhooks`;
}

type More = { fault?: FormFault; sent?: SentWebhook; preview?: Preview };

async function webhooksPage(request: PageRequest, { fault, sent, preview }: More = {}): Promise<Shown> {
  const { api, person, once, onlyLive = false } = request;
  const secret = onlyLive ? null : once.take();
  const [{ data }, projects] = await Promise.all([
    api.get('/v1/webhooks', { query: { per_page: 100 } }),
    projectsOfTeam(api),
  ]);
  const path = pathOf(request);
  const list = <List hooks={data} path={path} projects={projects} />;
  return {
    status: fault?.status ?? 200,
    title: 'Webhooks',
    live: { webhooks: list },
    body: (
      <TeamPage request={request} here="/webhooks">
        <Fault message={fault?.message} />
        {secret !== null && <Secret url={secret.title} secret={secret.text} />}
        <Live id="webhooks">{list}</Live>
        <h2>New webhook</h2>
        <section class="panel">
          {preview !== undefined && <WebhookPreview preview={preview} />}
          <Form action={path} csrf={person.csrf}>
            <WebhookFields sent={sent} fault={fault} projects={projects} />
            <div class="buttons">
              <Submit>Create the webhook</Submit>
              <PreviewButton path={path} />
            </div>
          </Form>
        </section>
      </TeamPage>
    ),
  };
}

type Hook = Paths['/v1/webhooks']['get']['responses'][200]['content']['application/json']['data'][number];

function List({
  hooks,
  path,
  projects,
}: {
  hooks: readonly Hook[];
  path: string;
  projects: readonly Project[];
}) {
  return (
    <>
      {hooks.length === 0 && (
        <p class="panel empty">
          The team has no webhook yet. A webhook sends each failure, recovery or completed run to a URL of
          yours.
        </p>
      )}
      {hooks.length > 0 && (
        <Table class="stacked" columns={{ URL: '', State: '', 'Last delivery': '' }}>
          {hooks.map(
            ({ id, url, events, project_ids, filter, format, enabled, disabled_reason, last_delivery }) => (
              <tr data-row>
                <th scope="row">
                  <a class="break" href={`${path}/${id}`}>
                    {url}
                  </a>
                  <div class="soft small break">
                    {events.includes('*') ? 'all events' : events.join(', ')} ·{' '}
                    {projectsText(project_ids, projects)}
                    {filterText(filter)} · for {formatWords[format]}
                  </div>
                </th>
                <td>
                  <WebhookState enabled={enabled} reason={disabled_reason} />
                </td>
                <td>
                  {last_delivery === null ? (
                    <span class="soft">none yet</span>
                  ) : (
                    <>
                      <DeliveryState state={last_delivery.state} />{' '}
                      <span class="soft small nowrap">
                        {last_delivery.status ?? 'no answer'}, <Ago at={last_delivery.at} />
                      </span>
                    </>
                  )}
                </td>
              </tr>
            ),
          )}
        </Table>
      )}
      {hooks.length > 0 && <AsOf position={null} at={new Date()} />}
    </>
  );
}

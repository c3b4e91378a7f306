/** One webhook: its deliveries, and everything that can be done with it. */
import type { Paths } from '../../../client/api.generated.js';
import { deliveryStates } from '../../../domain/messages/delivery.js';
import { formFault, type FormFault } from '../../form-fault.js';
import type { Page, PageReply, PageRequest, Shown } from '../../page.js';
import { AsOf } from '../../parts/as-of.js';
import { Crumbs } from '../../parts/crumbs.js';
import { filterIn, inOneForm } from '../../parts/filter/filter.js';
import { FilterBar } from '../../parts/filter/filter-bar.js';
import { ofDeliveries } from '../../parts/filter/vocabularies.js';
import { Live } from '../../parts/live.js';
import { Fault } from '../../parts/notice.js';
import { number } from '../../parts/outcome.js';
import { Pager, pageOf, withParams } from '../../parts/lists/pager.js';
import { Ago } from '../../parts/time.js';
import { Attempts, Deliveries } from './deliveries.js';
import { Buttons, Settings, webhookPath } from './webhook-forms.js';
import { TeamPage } from './tabs.js';
import { PREVIEW_FAULTS, type Preview } from './webhook-preview.js';
import {
  bodyOf,
  filterText,
  formatWords,
  LIVE_EVERY_MS,
  projectsOfTeam,
  projectsText,
  Secret,
  WebhookState,
  type Project,
} from './webhook-parts.js';

type Hook = Paths['/v1/webhooks/{id}']['get']['responses'][200]['content']['application/json']['data'];

const base = '/teams/:team/team/webhooks/:webhook';
const PER_PAGE = 20;

export const webhook: readonly Page[] = [
  {
    method: 'GET',
    path: base,
    role: 'admin',
    liveEveryMs: LIVE_EVERY_MS,
    liveQuery: ['q', 'delivery', 'page'],
    handle: async (request) => {
      const other = inOneForm(request.url, ofDeliveries);
      return other === null ? webhookPage(request) : { redirect: other };
    },
  },
  action('change', async ({ api, params, form }) => {
    await api.send('patch', '/v1/webhooks/{id}', { params: idOf(params), body: bodyOf(form) });
  }),
  action('enable', async ({ api, params }) => {
    await api.send('patch', '/v1/webhooks/{id}', { params: idOf(params), body: { enabled: true } });
  }),
  action('disable', async ({ api, params }) => {
    await api.send('patch', '/v1/webhooks/{id}', { params: idOf(params), body: { enabled: false } });
  }),
  action('delete', async ({ api, params, team }) => {
    await api.send('delete', '/v1/webhooks/{id}', { params: idOf(params) });
    return { redirect: `/teams/${team.team_id}/team/webhooks` };
  }),
  action('ping', async (request) => {
    await request.api.send('post', '/v1/webhooks/{id}/ping', { params: idOf(request.params) });
    return { redirect: `${webhookPath(request)}?done=ping` };
  }),
  action('rotate-secret', async (request) => {
    const { data } = await request.api.send('post', '/v1/webhooks/{id}/rotate-secret', {
      params: idOf(request.params),
    });
    return webhookPage(request, { secret: data.secret });
  }),
  action('recover', async (request) => {
    const { api, params, form } = request;
    const body = { since: instantIn(form) };
    const { data } = await api.send('post', '/v1/webhooks/{id}/recover', { params: idOf(params), body });
    return { redirect: `${webhookPath(request)}?done=recover&count=${data.count}` };
  }),
  action('deliveries/:delivery/resend', async (request) => {
    const { api, params } = request;
    const { data } = await api.send('post', '/v1/webhooks/{id}/deliveries/{delivery}/resend', {
      params: { ...idOf(params), delivery: params['delivery']! },
    });
    return { redirect: `${webhookPath(request)}?done=resend&delivery=${encodeURIComponent(data.id)}` };
  }),
  {
    method: 'POST',
    path: `${base}/preview`,
    role: 'admin',
    async handle(request) {
      const { api, form } = request;
      try {
        const { data: preview } = await api.send('post', '/v1/webhooks/preview', { body: bodyOf(form) });
        return await webhookPage(request, { preview });
      } catch (error) {
        return webhookPage(request, { fault: formFault(error, PREVIEW_FAULTS) });
      }
    },
  },
  // A reload of a page that is the answer to a form leads back.
  ...['rotate-secret', 'preview'].map((name): Page => ({
    method: 'GET',
    path: `${base}/${name}`,
    role: 'admin',
    handle: async (request) => ({ redirect: webhookPath(request) }),
  })),
];

/** A form of the page. It leads back to the page, or shows the page with the reason of a refusal. */
function action(name: string, work: (request: PageRequest) => Promise<PageReply | void>): Page {
  return {
    method: 'POST',
    path: `${base}/${name}`,
    role: 'admin',
    async handle(request) {
      try {
        return (await work(request)) ?? { redirect: webhookPath(request) };
      } catch (error) {
        const fault = formFault(error, [
          'target_refused',
          'webhook_disabled',
          'event_limit',
          'views_unavailable',
          'not_found',
        ]);
        return webhookPage(request, { fault });
      }
    },
  };
}

function idOf(params: PageRequest['params']): { id: string } {
  return { id: params['webhook']! };
}

/** The field of a browser has no zone; its label says UTC. */
function instantIn(form: URLSearchParams): string {
  const text = form.get('since') ?? '';
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d$/.test(text) ? `${text}:00Z` : text;
}

type More = { fault?: FormFault; secret?: string; preview?: Preview };

async function webhookPage(request: PageRequest, { fault, secret, preview }: More = {}): Promise<Shown> {
  const { api, url, params, team, person } = request;
  const filter = filterIn(url, ofDeliveries);
  const state = deliveryStates.find((each) => each === filter.values['state']);
  const page = pageOf(url);
  const [{ data: hook }, { data: deliveries, pagination }, projects] = await Promise.all([
    api.get('/v1/webhooks/{id}', { params: idOf(params) }),
    api.get('/v1/webhooks/{id}/deliveries', {
      params: idOf(params),
      query: { state, page, per_page: PER_PAGE },
    }),
    projectsOfTeam(api),
  ]);
  // The page may be the answer to a form, which has a path of its own.
  const view = new URL(webhookPath(request) + url.search, url);
  const opened = deliveries.find(({ id }) => id === url.searchParams.get('delivery'));
  const place = { url: view, page, perPage: PER_PAGE, total: pagination.total };
  const isFiltered = filter.terms.length > 0;
  const list = (
    <Deliveries {...{ deliveries, isFiltered, list: place, path: webhookPath(request), csrf: person.csrf }} />
  );
  const live = {
    state: <State hook={hook} projects={projects} />,
    total: <Total total={pagination.total} />,
    // A list with an opened delivery has a form, with the token of one person.
    ...(opened === undefined ? { deliveries: list } : { attempts: <Attempts delivery={opened} /> }),
  };
  return {
    status: fault?.status ?? 200,
    title: `Webhook ${hook.url}`,
    // The answer to a form has a path of its own, which nobody can follow.
    ...(url.pathname === view.pathname && { live }),
    body: (
      <TeamPage request={request} here="/webhooks">
        <Crumbs steps={[['Webhooks', `/teams/${team.team_id}/team/webhooks`], [hook.url]]} />
        <Fault message={fault?.message ?? fault?.fields['since']} />
        <Done url={url} />
        {secret !== undefined && <Secret url={hook.url} secret={secret} />}
        <div class="toolbar">
          <Live id="state">{live.state}</Live>
          <Buttons request={request} isOn={hook.enabled} />
        </div>
        <Settings request={request} hook={hook} fault={fault} preview={preview} projects={projects} />
        <Live id="total">{live.total}</Live>
        <FilterBar url={filterPlaceOf(view)} vocabulary={ofDeliveries} filter={filter} />
        {opened === undefined ? <Live id="deliveries">{list}</Live> : list}
        <Pager {...place} />
      </TeamPage>
    ),
  };
}

/** Another list has neither the opened delivery nor the note of what was done. */
function filterPlaceOf(view: URL): URL {
  return new URL(withParams(view, { page: null, delivery: null, done: null, count: null }), view);
}

function State({ hook, projects }: { hook: Hook; projects: readonly Project[] }) {
  return (
    <p>
      <WebhookState enabled={hook.enabled} reason={hook.disabled_reason} />{' '}
      <span class="soft">
        {hook.events.includes('*') ? 'all events' : hook.events.join(', ')} ·{' '}
        {projectsText(hook.project_ids, projects)}
        {filterText(hook.filter)} · for {formatWords[hook.format]} · created <Ago at={hook.created_at} />
      </span>
    </p>
  );
}

function Total({ total }: { total: number }) {
  return (
    <div class="line">
      <h2>
        Deliveries <span class="count">{number(total)}</span>
      </h2>
      <AsOf position={null} at={new Date()} />
    </div>
  );
}

function Done({ url }: { url: URL }) {
  const count = url.searchParams.get('count') ?? '';
  const texts = new Map([
    ['ping', 'A ping is on its way. Its delivery shows in the list in a moment.'],
    ['resend', 'The message is on its way again.'],
    ['recover', `${/^\d{1,9}$/.test(count) ? count : 'No'} missed messages are on their way.`],
  ]);
  const text = texts.get(url.searchParams.get('done') ?? '');
  return text === undefined ? null : (
    <p class="notice done" role="status">
      {text}
    </p>
  );
}

/** What the pages of webhooks share: their fields, their states, the secret. */
import { chatHostOf, defaultPer, formats } from '../../../domain/messages/chat/format.js';
import { pers } from '../../../domain/messages/per.js';
import { messageTypes, subscribableTypes } from '../../../domain/messages/message-types.js';
import type { components } from '../../../client/api.generated.js';
import type { FormFault } from '../../form-fault.js';
import type { PageApi } from '../../page-api.js';
import { Field } from '../../parts/forms/form.js';
import { ShownOnce } from '../../parts/notice.js';
import { shortened } from './tabs.js';

/** A delivery takes a moment, and the person who sent a ping waits for it. */
export const LIVE_EVERY_MS = 2_000;

export type SentWebhook = {
  url: string;
  events: string[];
  project_ids: components['schemas']['WebhookProjects'];
  filter: components['schemas']['WebhookFilter'];
  per: components['schemas']['WebhookPer'];
  format: components['schemas']['WebhookFormat'];
};

export type Project = Pick<components['schemas']['Project'], 'id' | 'name'>;

/** Those that a form offers. */
export async function projectsOfTeam(api: PageApi): Promise<Project[]> {
  return (await api.get('/v1/projects', { query: { per_page: 100 } })).data;
}

/** The webhook that a form describes. All events together are every event, also those of later versions. */
export function bodyOf(form: URLSearchParams): SentWebhook {
  const chosen = form.getAll('events');
  const isAll = subscribableTypes.every((type) => chosen.includes(type));
  const projects = form.getAll('projects');
  const format = formats.find((each) => each === form.get('format')) ?? 'standard';
  return {
    url: (form.get('url') ?? '').trim(),
    events: isAll ? ['*'] : chosen,
    project_ids: projects.length === 0 ? null : projects,
    filter: filterIn(form),
    per: pers.find((each) => each === form.get('per')) ?? defaultPer(format),
    format,
  };
}

/** Null for a form that chooses all. */
function filterIn(form: URLSearchParams): SentWebhook['filter'] {
  const lists = Object.fromEntries(filterLists.map(({ name }) => [name, linesIn(form.get(name))]));
  const [known, only_new] = [form.has('known'), form.has('only_new')];
  const isAll = known && !only_new && Object.values(lists).every((each) => each === null);
  return isAll ? null : { ...lists, known, only_new };
}

function linesIn(text: string | null): string[] | null {
  const lines = (text ?? '').split(/[\r\n]+/).map((line) => line.trim());
  const given = [...new Set(lines.filter((line) => line !== ''))];
  return given.length === 0 ? null : given;
}

const filterLists = [
  { name: 'branches', label: 'Only of these branches', example: 'main, release/*' },
  { name: 'environments', label: 'Only of these environments', example: '**os=linux**' },
  { name: 'owners', label: 'Only failures of tests of these owners', example: 'team-checkout' },
] as const;

export function WebhookFields({
  sent = {
    url: '',
    events: ['test.failed', 'run.completed'],
    project_ids: null,
    filter: { known: false, only_new: false },
    per: 'group',
    format: 'standard',
  },
  fault,
  projects,
}: {
  sent?: SentWebhook | undefined;
  projects: readonly Project[];
  fault?: FormFault | undefined;
}) {
  return (
    <>
      <Field
        label="URL"
        name="url"
        type="url"
        value={sent.url}
        required
        maxLength={2_000}
        placeholder="https://example.com/hooks/tests"
        autocomplete="off"
        error={fault?.fields['url']}
      />
      <FormatField sent={sent} error={fault?.fields['format']} />
      <fieldset>
        <legend>Send a message when</legend>
        {subscribableTypes.map((type) => (
          <label class="check">
            <input
              type="checkbox"
              name="events"
              value={type}
              checked={sent.events.includes('*') || sent.events.includes(type)}
            />
            {messageTypes[type].when} <code class="soft">{type}</code>
          </label>
        ))}
        {fault?.fields['events'] && <p class="field-error">Choose at least one event.</p>}
      </fieldset>
      <div class="field">
        <label for="webhook-per">One message for</label>
        <select id="webhook-per" name="per">
          {pers.map((each) => (
            <option value={each} selected={sent.per === each}>
              {perWords[each]}
            </option>
          ))}
        </select>
      </div>
      <ProjectsOfWebhook chosen={sent.project_ids} projects={projects} error={fault?.fields['project_ids']} />
      <FilterFields filter={sent.filter} />
    </>
  );
}

function FormatField({ sent: { url, format }, error }: { sent: SentWebhook; error: string | undefined }) {
  const host = chatHostOf(url);
  return (
    <div class="field">
      <label for="webhook-format">Messages for</label>
      <select
        id="webhook-format"
        name="format"
        aria-describedby="webhook-format-hint"
        aria-invalid={error === undefined ? undefined : 'true'}
      >
        {formats.map((each) => (
          <option value={each} selected={format === each}>
            {formatWords[each]}
          </option>
        ))}
      </select>
      {error && <p class="field-error">{error}</p>}
      <p class="hint" id="webhook-format-hint">
        {host !== null && host.format !== format
          ? `This URL looks like one of ${host.name}: choose ${formatWords[host.format]} if it is.`
          : 'A chat needs its own form. Only messages for a program are signed.'}
      </p>
    </div>
  );
}

export const formatWords: Readonly<Record<SentWebhook['format'], string>> = {
  standard: 'a program',
  slack: 'Slack',
  teams: 'Microsoft Teams',
};

const perWords: Readonly<Record<SentWebhook['per'], string>> = {
  test: 'each failing test',
  group: 'each cause of the failures of a run',
  run: 'each run',
};

function FilterFields({ filter }: Pick<SentWebhook, 'filter'>) {
  return (
    <>
      {filterLists.map(({ name, label, example }) => (
        <div class="field">
          <label for={`webhook-${name}`}>{label}</label>
          <textarea id={`webhook-${name}`} name={name} rows={2} aria-describedby={`webhook-${name}-hint`}>
            {(filter?.[name] ?? []).join('\n')}
          </textarea>
          <p class="hint" id={`webhook-${name}-hint`}>
            One per line, such as <code>{example}</code>. With none, of all.
          </p>
        </div>
      ))}
      <label class="check">
        <input type="checkbox" name="known" checked={filter === null || filter.known === true} />
        Also known failures
      </label>
      <label class="check">
        <input type="checkbox" name="only_new" checked={filter?.only_new === true} />
        Only failures that are new
      </label>
    </>
  );
}

/** In words; empty without a filter. */
export function filterText(filter: SentWebhook['filter']): string {
  if (filter === null) return '';
  const lists = filterLists.flatMap(
    ({ name }) => filter[name]?.map((each) => shortened(each)).join(', ') ?? [],
  );
  const words = [
    ...lists,
    filter.known ? '' : 'no known failures',
    filter.only_new ? 'only new failures' : '',
  ];
  return words
    .filter((each) => each !== '')
    .map((each) => ` · ${each}`)
    .join('');
}

function ProjectsOfWebhook({
  chosen,
  projects,
  error,
}: {
  chosen: SentWebhook['project_ids'];
  projects: readonly Project[];
  error: string | undefined;
}) {
  const listed = new Set(projects.map(({ id }) => id));
  // A program may have chosen some that the form does not list: saving it must not lose them.
  const others = (chosen ?? []).filter((id) => !listed.has(id)).map((id) => ({ id, name: id }));
  const all = [...projects, ...others];
  if (all.length === 0) return null;
  return (
    <div class="field">
      <label for="webhook-projects">Only of these projects</label>
      <select
        id="webhook-projects"
        name="projects"
        multiple
        size={Math.min(all.length, 6)}
        aria-describedby="webhook-projects-hint"
      >
        {all.map(({ id, name }) => (
          <option value={id} selected={chosen?.includes(id) === true}>
            {shortened(name)}
          </option>
        ))}
      </select>
      {error && <p class="field-error">{error}</p>}
      <p class="hint" id="webhook-projects-hint">
        With none chosen, of all projects, also of those to come.
      </p>
    </div>
  );
}

/** In words. */
export function projectsText(chosen: SentWebhook['project_ids'], projects: readonly Project[]): string {
  if (chosen === null) return 'all projects';
  const names = new Map(projects.map(({ id, name }) => [id, name]));
  return `only ${chosen.map((id) => shortened(names.get(id) ?? id)).join(', ')}`;
}

export function Secret({ url, secret }: { url: string; secret: string }) {
  return (
    <ShownOnce title={`The secret of ${url}`} text={secret} label="Copy the secret">
      <p class="soft small">
        It signs each message (Standard Webhooks). It is shown only now; a new one can be made at any time.
      </p>
    </ShownOnce>
  );
}

const reasons: Readonly<Record<string, string>> = {
  requested: 'switched off',
  gone: 'off: the endpoint answered 410 Gone',
  failing: 'off: it failed for days',
};

export function WebhookState({ enabled, reason }: { enabled: boolean; reason: string | null }) {
  return enabled ? (
    <span class="badge passed">on</span>
  ) : (
    <span class="badge broken">{reasons[reason ?? ''] ?? 'off'}</span>
  );
}

const deliveryStates: Readonly<Record<string, { look: string; text: string }>> = {
  pending: { look: 'flaky', text: '· pending' },
  delivered: { look: 'passed', text: '✓ delivered' },
  exhausted: { look: 'failed', text: '✗ given up' },
  cancelled: { look: '', text: '– cancelled' },
};

export function DeliveryState({ state }: { state: string }) {
  const { look, text } = deliveryStates[state] ?? { look: '', text: state };
  return <span class={`badge ${look}`}>{text}</span>;
}

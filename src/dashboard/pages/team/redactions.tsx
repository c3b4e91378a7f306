/** Takes a leaked text out of everything that the team has: where it is, and how far its redaction is. */
import type { components } from '../../../client/api.generated.js';
import { limits } from '../../../limits.js';
import { formFault, type FormFault } from '../../form-fault.js';
import { orNull } from '../../or-null.js';
import type { Page, PageReply, PageRequest, Shown } from '../../page.js';
import { Field, Form, Select } from '../../parts/forms/form.js';
import { Live } from '../../parts/live.js';
import { Fault } from '../../parts/notice.js';
import { counted } from '../../parts/outcome.js';
import { Table } from '../../parts/lists/table.js';
import { Ago } from '../../parts/time.js';
import { To } from '../../parts/to.js';
import { linksOf } from '../run/links.js';
import { shortened, TeamPage } from './tabs.js';

type Redaction = components['schemas']['Redaction'];
type Places = components['schemas']['RedactionPlaces'];
type Sent = { text: string; reason: string; project_id: string | null };

const base = '/teams/:team/team/redactions';
const PLACES_SHOWN = 100;
/** A redaction takes some seconds. */
const LIVE_EVERY_MS = 2_000;

export const redactions: readonly Page[] = [
  {
    method: 'GET',
    path: base,
    role: 'admin',
    liveEveryMs: LIVE_EVERY_MS,
    liveQuery: ['redaction'],
    async handle(request) {
      const id = request.url.searchParams.get('redaction');
      const begun =
        id === null ? null : await orNull(request.api.get('/v1/redactions/{id}', { params: { id } }));
      return show(request, { begun: begun?.data ?? null });
    },
  },
  {
    method: 'POST',
    path: base,
    role: 'admin',
    asksAgain: ({ form }) => !isTry(form),
    handle: redact,
  },
];

function isTry(form: URLSearchParams): boolean {
  return form.get('do') === 'try';
}

function sentIn(form: URLSearchParams): Sent {
  const project = form.get('project') ?? '';
  return {
    // A browser sends each end of a line as two characters: a private key would not be found.
    text: (form.get('text') ?? '').replaceAll('\r\n', '\n'),
    reason: (form.get('reason') ?? '').trim(),
    project_id: project === '' ? null : project,
  };
}

/** The text is in the body of the form alone: an address stands in the history of a browser, and in logs. */
async function redact(request: PageRequest): Promise<PageReply> {
  const { api, form } = request;
  const sent = sentIn(form);
  const dry_run = isTry(form);
  try {
    const { data } = await api.send('post', '/v1/redactions', { body: { ...sent, dry_run } });
    if (!('id' in data)) return show(request, { places: data, sent });
    return { redirect: `${pathOf(request)}?redaction=${encodeURIComponent(data.id)}` };
  } catch (error) {
    return show(request, { fault: formFault(error, ['not_found', 'overloaded', 'rate_limited']), sent });
  }
}

function pathOf({ team }: Pick<PageRequest, 'team'>): string {
  return `/teams/${team.team_id}/team/redactions`;
}

type Filled = { begun?: Redaction | null; places?: Places; sent?: Sent; fault?: FormFault };

async function show(request: PageRequest, { begun = null, places, sent, fault }: Filled): Promise<Shown> {
  const state = begun === null ? null : <State redaction={begun} />;
  const shown = { title: 'Redactions', ...(state && { live: { state } }) };
  if (request.onlyLive === true) return { ...shown, body: <></> };
  const { data: projects } = await request.api.get('/v1/projects', { query: { per_page: 100 } });
  return {
    ...shown,
    status: fault?.status ?? 200,
    retryAfter: fault?.retryAfter,
    body: (
      <TeamPage request={request} here="/redactions">
        <Fault message={fault?.message ?? fault?.fields['project_id']} />
        {state && <Live id="state">{state}</Live>}
        {places && <Found places={places} request={request} />}
        <TextForm request={request} sent={sent} fields={fault?.fields ?? {}} projects={projects} />
      </TeamPage>
    ),
  };
}

function State({ redaction: { id, state, reason, places, done, finished_at } }: { redaction: Redaction }) {
  return (
    <section class="panel">
      <h2>{state === 'done' ? 'Redacted' : 'Being redacted…'}</h2>
      <p>
        {state === 'done'
          ? `The text was redacted in ${counted(done, 'place')}.`
          : `${counted(places, 'place')} found so far, ${done} redacted.`}
        {finished_at !== null && (
          <>
            {' '}
            <Ago at={finished_at} />
          </>
        )}
      </p>
      <p class="soft small break">
        {reason} · <code>{id}</code>
      </p>
    </section>
  );
}

function Found({ places: { places, total, complete }, request }: { places: Places; request: PageRequest }) {
  const links = linksOf(request.team.team_id);
  const hrefOf = ({ type, id }: Places['places'][number]) => {
    if (type === 'result') return links.result(id);
    if (type === 'run') return links.run(id);
    return type === 'project' ? links.project(id) : undefined;
  };
  const first = places.slice(0, PLACES_SHOWN);
  return (
    <section class="panel" role="status">
      <h2>
        {!complete && 'At least '}
        {counted(total, 'place')}
      </h2>
      <p class="soft">Nothing is changed yet.{!complete && ' The search took too long, and was ended.'}</p>
      {first.length > 0 && (
        <Table class="stacked" columns={{ Where: '', Field: '' }}>
          {first.map((place) => (
            <tr data-row>
              <th scope="row">
                {place.type}{' '}
                <To href={hrefOf(place)}>
                  <code class="break">{place.id}</code>
                </To>
              </th>
              <td>{place.field}</td>
            </tr>
          ))}
        </Table>
      )}
      {total > first.length && <p class="soft small">The first {first.length} of them.</p>}
    </section>
  );
}

type Projects = readonly Pick<components['schemas']['Project'], 'id' | 'name'>[];

function TextForm({
  request,
  sent,
  fields,
  projects,
}: {
  request: PageRequest;
  sent: Sent | undefined;
  fields: FormFault['fields'];
  projects: Projects;
}) {
  const choices = [
    { value: '', text: 'all of the team' },
    ...projects.map(({ id, name }) => ({ value: id, text: shortened(name) })),
  ];
  return (
    <section class="panel">
      <h2>Redact a text</h2>
      <p class="soft">
        For a secret or personal data that a report had in it. It is found exactly as it is written here: in
        messages, output, names, labels, metadata, and in files that are texts. Change a leaked secret where
        it is used, too: whoever saw it may have kept it.
      </p>
      <Form action={pathOf(request)} csrf={request.person.csrf}>
        <div class="field">
          <label for="redact-text">Text</label>
          <textarea
            id="redact-text"
            name="text"
            rows={3}
            required
            minLength={limits.redactedTextLeast}
            maxLength={limits.redactedTextLength}
            autocomplete="off"
            autocapitalize="off"
            spellcheck={false}
            aria-invalid={fields['text'] === undefined ? undefined : 'true'}
          >
            {sent?.text}
          </textarea>
          {fields['text'] && <p class="field-error">{fields['text']}</p>}
          <p class="hint">It is kept nowhere, and in no address.</p>
        </div>
        <Field
          label="Why"
          name="reason"
          value={sent?.reason}
          required
          maxLength={limits.redactionReasonLength}
          autocomplete="off"
          error={fields['reason']}
          hint="It is kept in the history, so it must not repeat the text."
        />
        <Select label="Where" name="project" choices={choices} value={sent?.project_id ?? ''} />
        <button type="submit" name="do" value="try">
          Show where it is
        </button>{' '}
        <button class="danger" type="submit" name="do" value="redact">
          Redact it for good
        </button>
      </Form>
    </section>
  );
}

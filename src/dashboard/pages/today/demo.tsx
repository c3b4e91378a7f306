/** Fills a new project with a demo, for a team that has nothing to look at yet. */
import type { components } from '../../../client/api.generated.js';
import { atLeast } from '../../../domain/teams/team.js';
import { fillProject } from '../../../demo/fill.js';
import type { DemoService } from '../../../demo/service.js';
import type { PageApi } from '../../page-api.js';
import type { Page, PageRequest } from '../../page.js';
import { ButtonForm } from '../../parts/forms/form.js';

/** The demo is told by its name alone: a team has one. */
export const DEMO_NAME = 'Demo';

const DESCRIPTION = 'A made-up web shop, to look around in. An owner deletes it under its settings.';
/** Until all of it is there: a server that stops in the middle leaves it. */
const UNFINISHED = 'A made-up web shop, to look around in. It is being filled.';
/** No run has come for so long: nothing fills it any more. */
const STALLED_MS = 60_000;
const DAYS = 14;
/** Files of one call. */
const BATCH = 50;

type Project = components['schemas']['Project'];
type Run = components['schemas']['TestRun'];
export type Demo = { project: Project; isStalled: boolean };

/** Teams whose demo this process fills. */
const filling = new Set<string>();

export const demo: Page = {
  method: 'POST',
  path: '/teams/:team/demo',
  role: 'admin',
  async handle({ api, team: { team_id }, report }) {
    const base = `/teams/${team_id}/projects`;
    const present = await demoIn(api, team_id);
    if (present !== null && !present.isStalled) return { redirect: `${base}/${present.project.id}` };
    if (filling.has(team_id)) return { redirect: base };
    filling.add(team_id);
    try {
      const body = { name: DEMO_NAME, description: UNFINISHED };
      const project = present?.project ?? (await api.send('post', '/v1/projects', { body })).data;
      // Its page shows the runs as they come.
      void fill(api, project)
        .catch(report)
        .finally(() => filling.delete(team_id));
      return { redirect: `${base}/${project.id}` };
    } catch (error) {
      filling.delete(team_id);
      throw error;
    }
  },
};

/** Null for a team without a demo. */
export async function demoIn(api: PageApi, team: string): Promise<Demo | null> {
  const { data } = await api.get('/v1/projects', { query: { status: 'active', per_page: 100 } });
  const project = data.find(({ name }) => name === DEMO_NAME);
  if (project === undefined) return null;
  if (project.description !== UNFINISHED || filling.has(team)) return { project, isStalled: false };
  const newest = await api.get('/v1/test-runs', { query: { project_id: project.id, per_page: 1 } });
  const last = newest.data[0]?.created_at ?? project.created_at;
  return { project, isStalled: Date.now() - Date.parse(last) > STALLED_MS };
}

/** Goes on where it was interrupted: the story is the same for the same project. */
async function fill(api: PageApi, { id, created_at }: Project): Promise<void> {
  const counted = { runs: 0, results: 0, artifacts: 0 };
  const story = { now: Date.parse(created_at), days: DAYS, print: () => undefined };
  const came = await labelsIn(api, id);
  await fillProject('Web shop', id, counted, { ...story, service: serviceIn(api), came });
  await api.send('patch', '/v1/projects/{id}', { params: { id }, body: { description: DESCRIPTION } });
}

/** The labels of the runs that came. The newest one may lack shards: those that come again add nothing. */
async function labelsIn(api: PageApi, project_id: string): Promise<Set<string>> {
  const came: Run[] = [];
  for (let page = 1, pages = 1; page <= pages; page += 1) {
    const found = await api.get('/v1/test-runs', { query: { project_id, page, per_page: 100 } });
    came.push(...found.data);
    pages = found.pagination.total_pages;
  }
  const whole = came.filter(({ shards }, n) => n > 0 || shards === null);
  return new Set(whole.map(({ label }) => label ?? ''));
}

function serviceIn(api: PageApi): DemoService {
  return {
    async submitRun(run) {
      const { data } = await api.send('post', '/v1/test-runs', { body: run });
      return { id: data.id, resultId: (n) => `${data.result_id_prefix}${n}` };
    },
    async completeRun(test_run_id) {
      const body = { status: 'Completed' };
      await api.send('post', '/v1/test/run/{test_run_id}', { params: { test_run_id }, body });
    },
    async upload(files) {
      const artifacts = files.map(({ resultId, label, kind, contentType, bytes }) => ({
        test_result_id: resultId,
        label,
        kind,
        content_type: contentType,
        size_bytes: bytes.length,
        content: Buffer.from(bytes).toString('base64'),
      }));
      for (let from = 0; from < artifacts.length; from += BATCH) {
        const body = { artifacts: artifacts.slice(from, from + BATCH) };
        await api.send('post', '/v1/test/artifact/batch', { body });
      }
    },
    async testNamed(id, q) {
      const { data } = await api.get('/v1/projects/{id}/tests', { params: { id }, query: { q } });
      return data.find(({ name }) => name === q)!.id;
    },
    async setKnownFailure(id, test, body) {
      const path = '/v1/projects/{id}/tests/{test}/known-failure';
      await api.send('put', path, { params: { id, test }, body });
    },
  };
}

/** For a demo that was interrupted. */
export function DemoRest({ team, person }: Pick<PageRequest, 'team' | 'person'>) {
  return (
    <div class="demo">
      <p>The demo is not complete: the server stopped while it was being filled.</p>
      {atLeast(team.role, 'admin') && (
        <ButtonForm action={`/teams/${team.team_id}/demo`} csrf={person.csrf}>
          Fill in the rest
        </ButtonForm>
      )}
    </div>
  );
}

/** For whoever may make a project. */
export function DemoButton({ team, person }: Pick<PageRequest, 'team' | 'person'>) {
  if (!atLeast(team.role, 'admin')) return null;
  return (
    <div class="demo">
      <p>
        Nothing to send yet? A project named <b>{DEMO_NAME}</b> shows what two weeks of a web shop look like.
        It changes nothing else.
      </p>
      <ButtonForm action={`/teams/${team.team_id}/demo`} csrf={person.csrf}>
        Fill with a demo
      </ButtonForm>
    </div>
  );
}

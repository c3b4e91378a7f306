/** Fills a new project with a demo, for a team that has nothing to look at yet. */
import { atLeast } from '../../../domain/teams/team.js';
import { fillProject } from '../../../demo/fill.js';
import type { DemoService } from '../../../demo/service.js';
import type { PageApi } from '../../page-api.js';
import type { Page, PageRequest } from '../../page.js';
import { ButtonForm } from '../../parts/forms/form.js';

/** The demo is told by its name alone: a team has one. */
export const DEMO_NAME = 'Demo';

const DESCRIPTION = 'A made-up web shop, to look around in. An owner deletes it under its settings.';
const DAYS = 14;
/** Files of one call. */
const BATCH = 50;

/** Teams whose demo this process fills. */
const filling = new Set<string>();

export const demo: Page = {
  method: 'POST',
  path: '/teams/:team/demo',
  role: 'admin',
  async handle({ api, team: { team_id }, report }) {
    const base = `/teams/${team_id}/projects`;
    const present = await demoIn(api);
    if (present !== null) return { redirect: `${base}/${present}` };
    if (filling.has(team_id)) return { redirect: base };
    filling.add(team_id);
    try {
      const body = { name: DEMO_NAME, description: DESCRIPTION };
      const { id } = (await api.send('post', '/v1/projects', { body })).data;
      // Its page shows the runs as they come.
      void fill(api, id)
        .catch(report)
        .finally(() => filling.delete(team_id));
      return { redirect: `${base}/${id}` };
    } catch (error) {
      filling.delete(team_id);
      throw error;
    }
  },
};

async function demoIn(api: PageApi): Promise<string | null> {
  const { data } = await api.get('/v1/projects', { query: { per_page: 100 } });
  return data.find(({ name }) => name === DEMO_NAME)?.id ?? null;
}

async function fill(api: PageApi, project: string): Promise<void> {
  const counted = { runs: 0, results: 0, artifacts: 0 };
  const story = { now: Date.now(), days: DAYS, print: () => undefined };
  await fillProject('Web shop', project, counted, { ...story, service: serviceIn(api) });
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

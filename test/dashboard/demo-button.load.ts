import { expect } from 'chai';
import { givenProject } from '../http/given.js';
import { OPERATOR_TEAM } from '../../src/commands/teams.js';
import { api } from '../kit/client.js';
import { OWNER_KEY } from '../kit/environment.js';
import { pageServer } from '../kit/page-server.js';
import { eventually } from '../stores.js';

describe('the demo of a new team, once it was asked for', () => {
  const server = pageServer({ BOOTSTRAP_API_KEY: OWNER_KEY });
  const client = api(() => server.url, OWNER_KEY);
  const path = `/teams/${OPERATOR_TEAM}`;
  const projects = async (): Promise<any[]> => (await client.get('/v1/projects')).body.data;
  const runs = async (of: string) => (await client.get(`/v1/test-runs?project_id=${of}&per_page=1`)).body;

  it('fills one new project with two weeks of runs and files, and touches no other', async () => {
    const own = await givenProject(client, { name: 'Ours' });
    expect((await server.post(`${path}/demo`, { as: 'member', form: {} })).status).to.equal(403);
    const first = await server.post(`${path}/demo`, { as: 'admin', form: {} });
    // A second press, while it is being filled, makes no second one.
    const second = await server.post(`${path}/demo`, { as: 'admin', form: {} });
    const all = await projects();
    expect(all.map(({ name }) => name)).to.have.members(['Demo', 'Ours']);
    const { id } = all.find(({ name }) => name === 'Demo');
    for (const { headers } of [first, second]) expect(headers.location).to.equal(`${path}/projects/${id}`);
    // The newest of the story comes last.
    await eventually(
      'the demo is filled',
      async () => Date.now() - Date.parse((await runs(id)).data[0]?.started_at ?? 0) < 20 * 60_000,
    );
    expect((await runs(id)).pagination.total).to.be.within(40, 200);
    expect((await runs(own)).pagination.total).to.equal(0);
    const tests = (await client.get(`/v1/projects/${id}/tests?known_failure=true`)).body.data;
    expect(tests.map(({ name }: any) => name)).to.deep.equal([
      'e2e/account.spec.ts › Account › follows a parcel [chromium]',
    ]);
    expect(server.lines.filter((line) => JSON.parse(line).level >= 50)).to.deep.equal([]);
    // A person who has nothing but the demo has their first steps still.
    const { text } = await server.get(path, { as: 'admin' });
    expect(text).to.include('First steps').and.to.include('The demo</a>');
    expect(text).not.to.include(`${path}/demo"`);
  });
});

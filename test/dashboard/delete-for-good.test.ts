import { expect } from 'chai';
import { OPERATOR_TEAM } from '../../src/commands/teams.js';
import { givenProject, givenRun } from '../http/given.js';
import { api, type Api } from '../kit/client.js';
import { OWNER_KEY } from '../kit/environment.js';
import { personOf } from '../kit/fake-people.js';
import { pageServer } from '../kit/page-server.js';

const TEAM = `/teams/${OPERATOR_TEAM}`;

describe('the pages that delete for good', () => {
  const server = pageServer({ BOOTSTRAP_API_KEY: OWNER_KEY });
  const client: Api = api(() => server.url, OWNER_KEY);
  const statusOf = async (path: string) => (await client.get(path)).status;

  it('delete a run whose name was typed, for owners alone who have shown that it is them', async () => {
    const project = await givenProject(client);
    const { test_run_id: run } = await givenRun(client, project, { label: 'nightly' });
    // A page answers from read models that may be behind. The client asks until they are not.
    expect(await statusOf(`/v1/test-runs/${run}`)).to.equal(200);
    const path = `${TEAM}/runs/${run}/delete`;
    const ofRun = `${TEAM}/runs/${run}`;
    expect((await server.get(ofRun, { as: 'owner' })).text).to.contain(`href="${path}"`);
    expect((await server.get(ofRun, { as: 'admin' })).text).not.to.contain(path);
    expect((await server.get(path, { as: 'admin' })).status).to.equal(403);
    expect((await server.get(path, { as: 'owner' })).text).to.contain('Type its name: nightly');
    const form = { confirm: 'nightly' };
    expect((await server.post(path, { as: 'admin', form })).status).to.equal(403);
    const wrong = await server.post(path, { as: 'owner', form: { confirm: 'night' } });
    expect(wrong.status).to.equal(400);
    expect(wrong.text).to.contain('This is not the name');
    server.people.next('session', async () => ({ ...personOf('owner'), isProven: false }));
    const asked = await server.post(path, { as: 'owner', form, headers: { referer: server.url + path } });
    expect(asked.headers.location).to.equal(`/confirm?next=${encodeURIComponent(path)}`);
    expect(await statusOf(`/v1/test-runs/${run}`)).to.equal(200);
    const done = await server.post(path, { as: 'owner', form });
    expect([done.status, done.headers.location]).to.deep.equal([303, `${TEAM}/projects/${project}`]);
    expect((await server.get(ofRun, { as: 'owner' })).status).to.equal(404);
    expect(await statusOf(`/v1/test-runs/${run}`)).to.equal(404);
  });

  it('delete all projects of a team whose name was typed, and nothing else of it', async () => {
    const projects = [await givenProject(client), await givenProject(client)];
    const path = `${TEAM}/team/delete`;
    const settings = `${TEAM}/team/settings`;
    expect((await server.get(settings, { as: 'owner' })).text).to.contain(`href="${path}"`);
    expect((await server.get(settings, { as: 'admin' })).text).not.to.contain(path);
    const wrong = await server.post(path, { as: 'owner', form: { confirm: 'another' } });
    expect(wrong.status).to.equal(400);
    const name = /Type its name: ([^<]+)/.exec(wrong.text)![1]!;
    const done = await server.post(path, { as: 'owner', form: { confirm: name } });
    expect([done.status, done.headers.location]).to.deep.equal([303, TEAM]);
    for (const project of projects) expect(await statusOf(`/v1/projects/${project}`)).to.equal(404);
    expect(await statusOf('/v1/team')).to.equal(200);
  });

  it('delete a project whose name was typed', async () => {
    const project = await givenProject(client, { name: 'Web shop' });
    const path = `${TEAM}/projects/${project}/delete`;
    const settings = `${TEAM}/projects/${project}/settings`;
    expect((await server.get(settings, { as: 'owner' })).text).to.contain(`href="${path}"`);
    expect((await server.get(settings, { as: 'admin' })).text).not.to.contain(path);
    expect((await server.post(path, { as: 'owner', form: { confirm: '' } })).status).to.equal(400);
    const done = await server.post(path, { as: 'owner', form: { confirm: 'Web shop' } });
    expect([done.status, done.headers.location]).to.deep.equal([303, TEAM]);
    expect(await statusOf(`/v1/projects/${project}`)).to.equal(404);
    expect((await server.get(TEAM, { as: 'owner' })).text).not.to.contain('Web shop');
  });
});

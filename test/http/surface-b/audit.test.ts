import { expect } from 'chai';
import { currentPage, givenKey, givenProject, givenSubmission, givenTeam, givenWebhook } from '../given.js';
import { idOf, instant } from '../records.js';
import { expectRefused } from '../refusals.js';
import { testServer } from '../../kit/server.js';

describe('surface B: the audit of a team', () => {
  const server = testServer();
  const team = givenTeam(server, 'each test');
  const list = async (query = '') => (await team.owner.get(`/v1/audit?per_page=100${query}`)).body;
  const typesOf = async (query = '') => (await list(query)).data.map(({ type }: any) => type);
  /** A first use is told behind its request. */
  async function settled(): Promise<any> {
    for (;;) {
      const body = await list();
      if (body.data.some(({ type }: any) => type === 'key_first_used')) return body;
    }
  }

  it('tells what was done to keys, projects, webhooks and settings, newest first, with exactly the fields', async () => {
    const project = await givenProject(team.owner);
    const { id: webhook } = await givenWebhook(team.owner);
    await team.owner.patch(`/v1/projects/${project}`, { name: 'Renamed', default_branch: 'trunk' });
    await team.owner.patch('/v1/team', { gate: { fail_on: 'any' } });
    await team.owner.delete(`/v1/webhooks/${webhook}`);
    const { data } = await settled();
    const others = data.filter(({ type }: any) => type !== 'key_first_used');
    expect(others.map(({ type }: any) => type)).to.deep.equal([
      'webhook_deleted',
      'team_changed',
      'project_changed',
      'webhook_made',
      'key_made',
    ]);
    const [, , changed] = others;
    expect(changed).to.have.all.keys('id', 'type', 'at', 'actor', 'client', 'subject', 'text');
    expect(changed.id).to.match(idOf('event'));
    expect(changed.at).to.match(instant);
    expect(changed.actor).to.include({ type: 'key', name: 'first key' });
    expect(changed.client).to.deep.equal({ network: '127.0.0.0/24', agent: 'another program' });
    expect(changed.subject).to.deep.equal({ type: 'project', id: project, name: 'Renamed' });
    expect(changed.text).to.equal(
      'The key "first key" changed the name and the default branch of the project "Renamed".',
    );
    expect(others.at(-1)).to.deep.include({ client: null });
  });

  it('tells of links and badges that they were made and ended, and of a link that it was used', async () => {
    const project = await givenProject(team.owner);
    const { run } = await givenSubmission(team.owner, project, [{}]);
    const made = async (path: string, body: object) => (await team.owner.post(path, body)).body.data;
    const link = await made(`/v1/test-runs/${run}/links`, {});
    const badge = await made(`/v1/projects/${project}/badges`, { branch: 'main' });
    for (let n = 0; n < 3; n += 1) expect((await currentPage(link.url)).status).to.equal(200);
    while (!(await typesOf()).includes('link_used'));
    expect((await team.owner.delete(`/v1/test-runs/${run}/links/${link.id}`)).status).to.equal(204);
    expect((await team.owner.delete(`/v1/projects/${project}/badges/${badge.id}`)).status).to.equal(204);
    const told = (await list()).data.filter(({ type }: any) => /^(link|badge)_/.test(type));
    expect(told.map(({ type }: any) => type)).to.have.members([
      'badge_removed',
      'link_revoked',
      'link_used',
      'badge_made',
      'link_made',
    ]);
    const used = told.find(({ type }: any) => type === 'link_used');
    expect(used.text).to.equal('A link was used from a network for the first time on this day.');
    expect(used).to.deep.include({
      client: { network: '127.0.0.0/24', agent: 'another program' },
      subject: { type: 'link', id: link.id, name: null },
    });
  });

  it('tells the first use of a key from a network once, and no use of the keys of others', async () => {
    const { data } = await settled();
    for (let n = 0; n < 3; n += 1) await team.owner.get('/v1/me');
    const uses = data.filter(({ type }: any) => type === 'key_first_used');
    expect(uses).to.have.length(1);
    expect(uses[0].client.network).to.equal('127.0.0.0/24');
    expect(uses[0].actor.id).to.equal(uses[0].subject.id);
    expect(await typesOf('&type=key_first_used')).to.deep.equal(['key_first_used']);
  });

  it('is filtered by actor, by type and by time, and divided into pages that count what they filter', async () => {
    await settled();
    const admin = await givenKey(team.owner, 'admin');
    const { key } = (await server.as(admin).get('/v1/me')).body.data;
    const projects = [await givenProject(team.owner), await givenProject(team.owner)];
    const change = (id: string, as = team.owner) => as.patch(`/v1/projects/${id}`, { name: 'Renamed' });
    await change(projects[0]!);
    await change(projects[1]!, server.as(admin));
    const [newest, before] = (await list('&type=project_changed')).data;
    expect(newest.actor.id).to.equal(key.id);
    expect((await list(`&type=project_changed&actor=${key.id}`)).pagination.total).to.equal(1);
    const since = async (at: string) => list(`&since=${at}&type=project_changed`);
    expect((await since(newest.at)).data.map(({ id }: any) => id)).to.include(newest.id);
    expect((await since(before.at)).pagination.total).to.equal(2);
    expect((await since(new Date(Date.now() + 60_000).toISOString())).pagination).to.include({ total: 0 });
    const all = await list();
    const pages = [];
    for (let page = 1; page <= all.pagination.total; page += 1)
      pages.push(...(await team.owner.get(`/v1/audit?per_page=1&page=${page}`)).body.data);
    const places = (entries: any[]) => entries.map(({ id }) => id);
    expect(places(pages).slice(-4)).to.deep.equal(places(all.data).slice(-4));
    for (const query of ['&since=yesterday', '&what=1'])
      expect((await team.owner.get(`/v1/audit?per_page=100${query}`)).status).to.equal(400);
  });

  it('is 403 for keys of some projects, and for everybody below an admin', async () => {
    const project = await givenProject(team.owner);
    const { body } = await team.owner.post('/v1/keys', {
      name: 'narrow',
      role: 'admin',
      project_ids: [project],
    });
    for (const key of [
      body.data.key,
      ...(await Promise.all(['member', 'reporter'].map((role) => givenKey(team.owner, role)))),
    ])
      expectRefused(await server.as(key).get('/v1/audit'), '/v1/audit', 403, 'forbidden');
  });

  it('is in the replay of admins alone, without where it was done from', async () => {
    await settled();
    const replay = async (key: string | null) =>
      (await server.as(key).get('/v1/events?limit=1000')).body.data.map(({ type }: any) => type);
    expect(await replay(await givenKey(team.owner, 'admin'))).to.include('ActRecorded');
    expect(await replay(await givenKey(team.owner, 'member'))).not.to.include('ActRecorded');
    const { text } = await team.owner.get('/v1/events?limit=1000&types=ActRecorded');
    expect(text).to.include('key_first_used');
    expect(text).not.to.include('127.0.0.0');
  });

  it('shows nothing of another team', async () => {
    const other = await server.newTeam();
    const { data } = await settled();
    const theirs = (await other.owner.get('/v1/audit?per_page=100')).body.data;
    const ids = new Set(data.map(({ id }: any) => id));
    expect(theirs.filter(({ id }: any) => ids.has(id))).to.deep.equal([]);
  });
});

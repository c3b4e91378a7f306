import { expect } from 'chai';
import { OPERATOR_TEAM } from '../../../src/commands/teams.js';
import { givenProject } from '../../http/given.js';
import { listPages } from './list-pages.js';

const TEAM = `/teams/${OPERATOR_TEAM}`;

describe('the settings of a project', () => {
  const { server, client, shown } = listPages();

  it('change, deactivate and activate a project, for admins alone', async () => {
    const project = await givenProject(client);
    const path = `${TEAM}/projects/${project}/settings`;
    const form = { name: 'Renamed', description: 'Told', default_branch: 'trunk' };
    expect((await server.post(path, { as: 'member', form })).status).to.equal(403);
    expect((await server.post(path, { as: 'admin', form })).status).to.equal(303);
    const read = async () => (await client.get(`/v1/projects/${project}`)).body.data;
    expect(await read()).to.include({ ...form, status: 'active' });
    const gate = { fail_on: 'any', max_removed: '5%', min_tests: '10', max_known: '' };
    expect((await server.post(`${path}/gate`, { as: 'member', form: gate })).status).to.equal(403);
    expect((await server.post(`${path}/gate`, { as: 'admin', form: gate })).status).to.equal(303);
    expect((await read()).gate).to.deep.equal({ ...gate, min_tests: 10, max_known: null });
    const wrong = await server.post(`${path}/gate`, { as: 'admin', form: { ...gate, max_removed: 'ten' } });
    expect(wrong.status).to.equal(400);
    expect(wrong.text).to.include('value="ten"');
    await client.patch('/v1/team', { gate: { min_tests: 7 } });
    await server.post(`${path}/gate-of-team`, { as: 'admin', form: {} });
    const fields = { fail_on: 'new', max_removed: 'default', min_tests: '7', max_known: '' };
    const was = Object.fromEntries(Object.entries(fields).map(([name, value]) => [`was-${name}`, value]));
    expect(await shown(path, 'admin'))
      .to.include('name="was-min_tests" value="7"')
      .and.include('Tests that must run (from the team)')
      .and.not.include('Use all settings of the team');
    await server.post(`${path}/gate`, { as: 'admin', form: { ...fields, ...was, max_known: '3' } });
    expect(await read()).to.deep.include({
      own_gate: ['max_known'],
      gate: { ...(await read()).gate, min_tests: 7 },
    });
    await client.patch('/v1/team', { gate: null });
    expect((await read()).gate, 'the form has not pinned it').to.include({ min_tests: null, max_known: 3 });
    expect(await shown(path, 'admin')).to.include('Use all settings of the team');
    for (const status of ['inactive', 'active']) {
      await server.post(`${path}/status`, { as: 'admin', form: { status } });
      expect((await read()).status).to.equal(status);
    }
    expect(await shown(path, 'member')).not.to.include('<button class="main"');
  });
});

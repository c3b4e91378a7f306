import { expect } from 'chai';
import { OPERATOR_TEAM } from '../../../src/commands/teams.js';
import { givenProject } from '../../http/given.js';
import { api } from '../../kit/client.js';
import { OWNER_KEY } from '../../kit/environment.js';
import { pageServer } from '../../kit/page-server.js';

const PATH = `/teams/${OPERATOR_TEAM}/team/settings`;

describe('the settings of a team', () => {
  const server = pageServer({ BOOTSTRAP_API_KEY: OWNER_KEY });
  const client = api(() => server.url, OWNER_KEY);

  it('change the gate of all projects that have set none, for admins alone', async () => {
    const project = await givenProject(client);
    const gate = async () => (await client.get(`/v1/projects/${project}`)).body.data.gate;
    const before = await gate();
    const was = {
      'was-fail_on': 'new',
      'was-max_removed': 'default',
      'was-min_tests': '',
      'was-max_known': '',
    };
    const form = { ...was, fail_on: 'any', max_removed: 'default', min_tests: '5', max_known: '' };
    expect((await server.get(PATH, { as: 'member' })).status).to.equal(403);
    expect((await server.post(`${PATH}/gate`, { as: 'member', form })).status).to.equal(403);
    expect(await gate()).to.deep.equal(before);
    expect((await server.post(`${PATH}/gate`, { as: 'admin', form })).status).to.equal(303);
    expect(await gate()).to.deep.equal({ ...before, fail_on: 'any', min_tests: 5 });
    expect((await server.get(PATH, { as: 'admin' })).text).to.include('name="was-min_tests" value="5"');
    expect((await server.post(`${PATH}/no-gate`, { as: 'admin', form: {} })).status).to.equal(303);
    expect(await gate()).to.deep.equal(before);
  });

  it('show the form again, as it was sent, where a setting is wrong', async () => {
    const refused = await server.post(`${PATH}/gate`, {
      as: 'admin',
      form: { fail_on: 'new', max_removed: 'ten' },
    });
    expect(refused.status).to.equal(400);
    expect(refused.text).to.include('value="ten"');
  });
});

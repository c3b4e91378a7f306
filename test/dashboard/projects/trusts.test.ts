import { expect } from 'chai';
import { OPERATOR_TEAM } from '../../../src/commands/teams.js';
import { OWNER_KEY } from '../../kit/environment.js';
import { api } from '../../kit/client.js';
import { pageServer } from '../../kit/page-server.js';
import { givenProject } from '../../http/given.js';

describe('the page of builds without a stored key', () => {
  const server = pageServer({ BOOTSTRAP_API_KEY: OWNER_KEY });
  const wanted = {
    issuer: 'https://ci.example',
    audience: 'us',
    claims: 'repository=acme/shop, ref=refs/heads/*',
  };
  const given = async () => {
    const project = await givenProject(api(() => server.url, OWNER_KEY));
    return `/teams/${OPERATOR_TEAM}/projects/${project}/settings/trusts`;
  };

  it('makes a trust, lists it, and removes it', async () => {
    const path = await given();
    expect((await server.post(path, { as: 'admin', form: wanted })).status).to.equal(303);
    const { text } = await server.get(path, { as: 'admin' });
    expect(text).to.include('https://ci.example').and.to.include('repository=acme/shop, ref=refs/heads/*');
    const [, remove] = /action="([^"]*\/remove)"/.exec(text)!;
    expect((await server.post(remove!, { as: 'admin', form: {} })).status).to.equal(303);
    expect((await server.get(path, { as: 'admin' })).text).to.not.include('https://ci.example');
  });

  it('suggests the address of the server as the audience, since the command line asks for it', async () => {
    const { text } = await server.get(await given(), { as: 'admin' });
    expect(text).to.include(`value="${server.url}"`);
  });

  it('says which field is wrong, and keeps what was sent', async () => {
    const path = await given();
    const form = { ...wanted, claims: 'repository=*' };
    const { status, text } = await server.post(path, { as: 'admin', form });
    expect(status).to.equal(400);
    expect(text).to.include('names an owner before its first wildcard').and.to.include('repository=*');
  });

  it('is for admins alone', async () => {
    const path = await given();
    for (const as of ['viewer', 'member'] as const) {
      expect((await server.get(path, { as })).status).to.equal(403);
      expect((await server.post(path, { as, form: wanted })).status).to.equal(403);
    }
  });
});

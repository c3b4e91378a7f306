import { expect } from 'chai';
import { testServer } from '../../kit/server.js';
import { bodyOf, givenTeamWithProject } from '../given.js';

describe('the repository of a project', () => {
  const team = givenTeamWithProject(testServer(), 'each test');
  const path = () => `/v1/projects/${team.project}`;

  it('is null until somebody sets it, and again when it is taken back', async () => {
    expect((await bodyOf(team.owner, path())).data.repo_url).to.equal(null);
    const repo_url = 'https://github.com/acme/shop';
    const { body } = await team.owner.patch(path(), { repo_url });
    expect(body.data.repo_url).to.equal(repo_url);
    expect((await bodyOf(team.owner, path())).data.repo_url).to.equal(repo_url);
    expect((await team.owner.patch(path(), { repo_url: null })).body.data.repo_url).to.equal(null);
  });

  it('is a web address without a user, a query or a fragment', async () => {
    for (const repo_url of [
      'javascript:alert(1)',
      'ftp://a/b',
      'https://a:b@c/d',
      'https://a/b?c',
      'https://a/b#c',
      '',
    ])
      expect((await team.owner.patch(path(), { repo_url })).status, repo_url).to.equal(400);
  });
});

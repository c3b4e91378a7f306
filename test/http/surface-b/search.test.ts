import { expect } from 'chai';
import { testServer } from '../../kit/server.js';
import { bodyOf, givenProject, givenSubmission, givenTeam } from '../given.js';

const COMMIT = '0a1b2c3d4e5f60718293a4b5c6d7e8f901234567';

describe('GET /v1/search', () => {
  const team = givenTeam(testServer(), 'each suite');
  let run = '';
  before(async () => {
    const shop = await givenProject(team.owner, { name: 'Web shop' });
    const metadata = {
      branch: 'feature/wallet',
      commit: COMMIT,
      pull_request: '418',
      actor: 'mia',
      message: 'Pay in parts',
    };
    const results = [
      { name: 'checkout › pays by card', status: 'failed', error_message: 'TypeError: no such card' },
      { name: 'checkout › pays by wallet', status: 'passed' },
    ];
    ({ run } = await givenSubmission(team.owner, shop, results, { metadata }));
    const other = await givenProject(team.owner, { name: 'Card service' });
    await givenSubmission(team.owner, other, [{ name: 'reads a card', status: 'passed' }]);
  });

  const search = async (q: string) => {
    const { data } = await bodyOf(team.owner, `/v1/search?q=${encodeURIComponent(q)}`);
    return {
      projects: data.projects.map(({ name }: any) => name),
      runs: data.runs.map(({ id }: any) => id),
      tests: data.tests.map(({ name }: any) => name),
      causes: data.causes.length,
    };
  };

  it('finds tests and projects by words in any order, in capitals or not', async () => {
    expect((await search('CARD pays')).tests).to.deep.equal(['checkout › pays by card']);
    const { projects, tests } = await search('card');
    expect(projects).to.deep.equal(['Card service']);
    expect(tests).to.have.members(['checkout › pays by card', 'reads a card']);
  });

  for (const [what, q] of [
    ['the beginning of its commit', COMMIT.slice(0, 7)],
    ['its whole commit', COMMIT.toUpperCase()],
    ['its branch', 'feature/wallet'],
    ['its pull request', '#418'],
    ['words of its message', 'parts pay'],
    ['its author', 'mia'],
  ] as const)
    it(`finds a run by ${what}`, async () => expect((await search(q)).runs).to.deep.equal([run]));

  it('finds a cause of failures by its title', async () => {
    expect((await search('no such card')).causes).to.equal(1);
  });

  it('finds nothing for words that no name has, and takes any text', async () => {
    for (const q of ['nothing at all', '%', '‮', "'; --", '*'])
      expect(await search(q), q).to.deep.equal({ projects: [], runs: [], tests: [], causes: 0 });
  });
});

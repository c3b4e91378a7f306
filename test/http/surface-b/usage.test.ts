import { expect } from 'chai';
import { testServer } from '../../kit/server.js';
import {
  bodyOf,
  givenArtifact,
  givenKey,
  givenProject,
  givenResult,
  givenTeamWithProject,
} from '../given.js';

describe('surface B: usage', () => {
  const server = testServer();
  const team = givenTeamWithProject(server, 'each test');

  it('lists each project with what it takes, by pages', async () => {
    const other = await givenProject(team.owner, { name: 'Another' });
    const metadata = { worker: 'number 7' };
    const { test_result_id } = await givenResult(team.owner, team.project, { metadata });
    await givenArtifact(team.owner, test_result_id, 'nine byte');
    const { data, pagination } = await bodyOf(team.owner, '/v1/usage');
    expect(pagination).to.include({ total: 2 });
    const [first, second] = data;
    expect(first.project_id).to.equal(team.project);
    expect(first.verdicts).to.include({ count: 1 });
    expect(first.verdicts.bytes).to.be.above(0).and.equal(first.verdicts.grown);
    expect(first.contents.bytes).to.equal(JSON.stringify(metadata).length);
    expect(first.contents.grown).to.equal(first.contents.bytes);
    expect(first.artifacts).to.deep.equal({ count: 1, bytes: 9, grown: 9 });
    const nothing = { count: 0, bytes: 0, grown: 0 };
    const { since, ...rest } = second;
    expect(rest).to.deep.equal({
      project_id: other,
      name: 'Another',
      verdicts: nothing,
      contents: { bytes: 0, grown: 0 },
      artifacts: nothing,
    });
    expect(Date.now() - Date.parse(since)).to.be.below(60_000);
    const { data: page } = await bodyOf(team.owner, '/v1/usage?per_page=1&page=2');
    expect(page).to.deep.equal([second]);
  });

  it('is for admins of the whole team, and of no other team', async () => {
    const refused = async (key: string) => {
      const { status, body } = await server.as(key).get('/v1/usage');
      expect([status, body.error?.code ?? body.code]).to.deep.equal([403, 'forbidden']);
    };
    await refused(await givenKey(team.owner, 'reporter'));
    await refused(await givenKey(team.owner, 'member'));
    const narrow = await team.owner.post('/v1/keys', {
      name: 'n',
      role: 'admin',
      project_ids: [team.project],
    });
    await refused(narrow.body.data?.key ?? (await givenKey(team.owner, 'viewer')));
    const { data } = await bodyOf((await server.newTeam()).owner, '/v1/usage');
    expect(data).to.deep.equal([]);
  });
});

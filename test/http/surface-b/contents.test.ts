import { expect } from 'chai';
import { testServer } from '../../kit/server.js';
import { bodyOf, givenProject, givenResult, givenTeam } from '../given.js';
import { CANARY, givenEveryKind, metadata } from '../given.contents.js';

describe('surface B: the contents of results', () => {
  const server = testServer();
  const team = givenTeam(server, 'each suite');
  let project: string;
  beforeEach(async () => {
    project = await givenProject(team.owner);
  });
  const everyKind = () => givenEveryKind(team.owner, project);

  it('are shown as they were sent by reads, lists, histories and the replay', async () => {
    const { posted, changed, run, submitted } = await everyKind();
    for (const id of [posted, changed, submitted]) {
      const { data } = await bodyOf(team.owner, `/v1/test-results/${id}`);
      expect(data).to.deep.include({ metadata, contents: 'kept' });
      expect(JSON.stringify(data.metadata)).to.equal(JSON.stringify(metadata));
      expect(data.group.title).to.contain(CANARY);
      const record = await bodyOf(team.owner, `/v1/test/result/${id}`);
      expect(record.metadata).to.deep.equal(metadata);
    }
    const { data: listed } = await bodyOf(team.owner, `/v1/test-runs/${run}/results`);
    expect(listed.map((each: any) => each.error_message)).to.deep.equal(Array(2).fill(`${CANARY} declined`));
    const { data: groups } = await bodyOf(team.owner, `/v1/test-runs/${run}/failures`);
    expect(groups[0].title).to.contain(CANARY);
    const { data: events } = await bodyOf(
      team.owner,
      '/v1/events?types=ResultCreated,ResultUpdated,ResultSubmitted',
    );
    const ofProject = events.filter((event: any) => event.data.project_id === project && event.data.metadata);
    expect(ofProject).to.have.length(4);
    for (const { data } of ofProject) {
      expect(JSON.stringify(data.metadata)).to.equal(JSON.stringify(metadata));
      expect(data).not.to.have.property('contents');
    }
    const { data: history } = await bodyOf(team.owner, `/v1/test-results/${changed}/history`);
    expect(JSON.stringify(history)).to.contain(CANARY);
  });

  it('are null for a result that never had any', async () => {
    const { test_result_id } = await givenResult(team.owner, project, {
      metadata: { file: 'a.ts', tags: ['slow'] },
    });
    const { data } = await bodyOf(team.owner, `/v1/test-results/${test_result_id}`);
    expect(data).to.deep.include({ contents: null, metadata: { file: 'a.ts', tags: ['slow'] } });
  });

  it('are the same for a shard that comes again, in whatever order its names come', async () => {
    const results = [{ name: 'pays', status: 'failed', error_message: CANARY, metadata }];
    const shard = { index: 1, total: 1 };
    const call = (items: object[]) =>
      team.owner.post('/v1/test-runs', { project_id: project, run_key: 'again', shard, results: items });
    const first = await call(results);
    const turned = Object.fromEntries(Object.entries(metadata).toReversed());
    const again = await call([{ ...results[0], metadata: turned }]);
    expect([first.status, again.status]).to.deep.equal([201, 200]);
    const other = await call([{ ...results[0], error_message: 'another' }]);
    expect(other.status).to.equal(409);
  });

  it('of a deleted result are shown nowhere from the answer on, in no earlier version', async () => {
    const { posted, changed, run, submitted } = await everyKind();
    for (const id of [posted, changed, submitted])
      expect((await team.owner.delete(`/v1/test/result/${id}`)).status).to.equal(200);
    const { data: events } = await bodyOf(
      team.owner,
      '/v1/events?types=ResultCreated,ResultFinished,ResultUpdated,ResultSubmitted',
    );
    const own = events.filter(({ data }: any) => [posted, changed, submitted].includes(data.result_id));
    expect(JSON.stringify(own)).not.to.contain(CANARY);
    const gone = own.filter(({ data }: any) => data.contents === 'deleted');
    expect(gone.map(({ type }: any) => type)).to.have.members([
      'ResultCreated',
      'ResultUpdated',
      'ResultSubmitted',
    ]);
    for (const { data } of gone)
      expect(data.metadata).to.deep.equal({ file: metadata.file, owner: metadata.owner });
    const history = await team.owner.get(`/v1/test-results/${changed}/history`);
    expect(JSON.stringify(history.body)).not.to.contain(CANARY);
    // Another result has the same contents, and keeps them.
    const { data: left } = await bodyOf(team.owner, `/v1/test-runs/${run}/results`);
    expect(left.map(({ contents, error_message }: any) => [contents, error_message])).to.deep.equal([
      ['kept', `${CANARY} declined`],
    ]);
  });
});

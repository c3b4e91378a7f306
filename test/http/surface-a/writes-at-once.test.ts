import { expect } from 'chai';
import { allEvents } from '../events.js';
import { givenResult, givenRun, givenTeamWithProject } from '../given.js';
import type { Answer } from '../../kit/client.js';
import { testServer } from '../../kit/server.js';

/** More than the tries of one command, which would lose against each of the others. */
const MANY = 60;

describe('surface A: many writes of one thing at once', () => {
  const server = testServer();
  const team = givenTeamWithProject(server, 'each suite');
  const atOnce = (request: (n: number) => Promise<Answer>) =>
    Promise.all(Array.from({ length: MANY }, (_, n) => request(n)));
  const statuses = (answers: readonly Answer[]) => [...new Set(answers.map(({ status }) => status))];

  it('let every shard complete the run, and count each completion', async () => {
    const { test_run_id } = await givenRun(team.owner, team.project);
    const path = `/v1/test/run/${test_run_id}`;
    expect(statuses(await atOnce(() => team.owner.post(path, { status: 'Completed' })))).to.deep.equal([204]);
    const events = await allEvents(team.owner, { project_id: team.project, types: 'RunCompleted' });
    const completions = events.map(({ data }) => data.completion);
    expect(completions).to.deep.equal(Array.from({ length: MANY }, (_, n) => n + 1));
  });

  it('give every shard the run of its key, with the metadata of all', async () => {
    const run = (n: number) => ({
      project_id: team.project,
      run_key: 'build 1',
      metadata: { [`shard ${n}`]: n },
    });
    const answers = await atOnce((n) => team.owner.post('/v1/test/run/', run(n)));
    expect(statuses(answers)).to.deep.equal([200]);
    const [id, ...others] = new Set(answers.map(({ body }) => body.test_run_id));
    expect(others).to.deep.equal([]);
    const { body } = await team.owner.get(`/v1/test/run/${id}`);
    expect(Object.keys(body.metadata)).to.have.length(MANY);
  });

  it('complete a run while submissions come in, and lose none', async () => {
    const { test_run_id } = await givenRun(team.owner, team.project, { run_key: 'build 2' });
    const submission = { project_id: team.project, run_key: 'build 2' };
    const answers = await atOnce((n) =>
      n % 2 === 0
        ? team.owner.post(`/v1/test/run/${test_run_id}`, { status: 'Completed' })
        : team.owner.post('/v1/test-runs', {
            ...submission,
            results: [{ name: `test ${n}`, status: 'passed' }],
          }),
    );
    expect(statuses(answers)).to.have.members([200, 204]);
    const { body } = await team.owner.get(`/v1/test/run/${test_run_id}`);
    expect(body.counts.total).to.equal(MANY / 2);
  });

  it('make every change of one result and of one project', async () => {
    const { test_result_id } = await givenResult(team.owner, team.project);
    const update = (n: number) =>
      team.owner.post(`/v1/test/result/${test_result_id}`, { error_message: `change ${n}` });
    expect(statuses(await atOnce(update))).to.deep.equal([200]);
    const rename = (n: number) => team.owner.patch(`/v1/projects/${team.project}`, { name: `name ${n}` });
    expect(statuses(await atOnce(rename))).to.deep.equal([200]);
  });
});

import { expect } from 'chai';
import { givenArtifact, givenKey, givenProject, givenResult, givenRun, givenTeam } from '../../given.js';
import { expectError } from '../../refusals.js';
import { testServer } from '../../../kit/server.js';

describe('surface B: retention', () => {
  const server = testServer();
  const team = givenTeam(server, 'each test');
  const retain = (id: string, retention: object) => team.owner.patch(`/v1/projects/${id}`, { retention });
  const initial = { contents: null, passed_contents: 'P90D', artifacts: 'P30D', runs: null };

  it('is shown with its defaults, and a change keeps what it does not name', async () => {
    const id = await givenProject(team.owner);
    const shown = async () => (await team.owner.get(`/v1/projects/${id}`)).body.data.retention;
    expect(await shown()).to.deep.equal(initial);
    const changed = await retain(id, { contents: 'P30D', passed_contents: null });
    expect(changed.status).to.equal(200);
    const expected = { ...initial, contents: 'P30D', passed_contents: null };
    expect(changed.body.data.retention).to.deep.equal(expected);
    await retain(id, { runs: 'P1Y' });
    expect(await shown()).to.deep.equal({ ...expected, runs: 'P1Y' });
  });

  it('is at least a day and at most ten years', async () => {
    const id = await givenProject(team.owner);
    for (const each of ['P1D', 'P10Y', 'P6M'])
      expect((await retain(id, { contents: each })).status).to.equal(200);
    for (const each of ['PT23H', 'P11Y', '30 days', '', 'P0D', '-P3D'])
      expectError(await retain(id, { contents: each }), 400, 'invalid_request', 'validation_failed');
    expectError(await retain(id, { texts: 'P3D' }), 400, 'invalid_request', 'validation_failed');
  });

  it('is changed by admins alone', async () => {
    const id = await givenProject(team.owner);
    const member = server.as(await givenKey(team.owner, 'member'));
    expect((await member.patch(`/v1/projects/${id}`, { retention: { contents: 'P1D' } })).status).to.equal(
      403,
    );
  });

  it('is tried out without a change', async () => {
    const id = await givenProject(team.owner);
    const { status, body } = await team.owner.get(`/v1/projects/${id}/retention?contents=P1D`);
    expect(status).to.equal(200);
    expect(body.data).to.deep.equal({
      runs: 0,
      results: 0,
      bytes: 0,
      artifacts: 0,
      artifact_bytes: 0,
      unlisted_runs: 0,
      is_whole: true,
    });
    expect(
      (await team.owner.get(`/v1/projects/${id}/retention?artifacts=forever&runs=P30D`)).status,
    ).to.equal(200);
    expectError(
      await team.owner.get(`/v1/projects/${id}/retention?contents=PT1H`),
      400,
      'invalid_request',
      'validation_failed',
    );
  });

  it('moves the end of artifacts that are there, and shows none for those of pinned runs', async () => {
    const id = await givenProject(team.owner);
    const { test_run_id } = await givenRun(team.owner, id);
    const { test_result_id } = await givenResult(team.owner, id, { test_run_id });
    const upload = async (): Promise<string | null> =>
      (await givenArtifact(team.owner, test_result_id)).expires_at;
    const ends = async () => {
      const { body } = await team.owner.get(`/v1/test/artifact/?test_result_id=${test_result_id}`);
      return body.items.map((one: any) => one.expires_at);
    };
    const days = async () =>
      (await ends()).map(
        (end: string | null) => end && Math.round((Date.parse(end) - Date.now()) / 86_400_000),
      );
    await upload();
    expect(await days()).to.deep.equal([30]);
    await retain(id, { artifacts: null });
    expect(await upload()).to.equal(null);
    expect(await days()).to.deep.equal([null, null]);
    await retain(id, { artifacts: 'P2D' });
    await upload();
    expect(await days()).to.deep.equal([2, 2, 2]);
    await retain(id, { artifacts: 'P60D' });
    expect(await days()).to.deep.equal([60, 60, 60]);
    const pinned = await team.owner.patch(`/v1/test-runs/${test_run_id}`, { pinned: true });
    expect(pinned.body.data.pinned).to.equal(true);
    expect(await ends()).to.deep.equal([null, null, null]);
    const unpinned = await team.owner.patch(`/v1/test-runs/${test_run_id}`, { pinned: false });
    expect(unpinned.body.data.pinned).to.equal(false);
    expect(await days()).to.deep.equal([60, 60, 60]);
  });
});

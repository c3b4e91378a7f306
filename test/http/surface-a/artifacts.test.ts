import { expect } from 'chai';
import { createHash, randomBytes } from 'node:crypto';
import type { Answer } from '../../kit/client.js';
import {
  givenAnnounced,
  givenArtifact,
  givenInactive,
  givenResult,
  givenRun,
  givenTeamWithProject,
  newArtifact,
  uploaded,
} from '../given.js';
import { idOf, instant } from '../records.js';
import { expectFaults, expectProblem } from '../refusals.js';
import { testServer } from '../../kit/server.js';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

describe('surface A: artifacts', () => {
  const server = testServer();
  const team = givenTeamWithProject(server, 'each test');
  let result: string;
  beforeEach(async () => {
    result = (await givenResult(team.owner, team.project)).test_result_id;
  });
  const announce = (fields: object = {}): Promise<Answer> =>
    team.owner.post('/v1/test/artifact/', { ...newArtifact, test_result_id: result, ...fields });
  const confirm = (id: string) => team.owner.post(`/v1/test/artifact/${id}/confirm`);
  const download = (id: string) => team.owner.get(`/v1/test/artifact/${id}/download`);
  const listed = async (id = result) => {
    const answer = await team.owner.get(`/v1/test/artifact/?test_result_id=${id}`);
    expect(answer.status, answer.text).to.equal(200);
    expect(answer.body).to.have.all.keys('items');
    return answer.body.items;
  };
  const after = (at: string, milliseconds: number) => new Date(Date.parse(at) + milliseconds).toISOString();

  it('work in a whole pipeline: run, result, artifact, upload, confirm, download, completed', async () => {
    const { test_run_id } = await givenRun(team.owner, team.project);
    const { test_result_id } = await givenResult(team.owner, team.project, { test_run_id, status: 'Failed' });
    const bytes = randomBytes(200_000);
    const answer = await announce({
      test_result_id,
      kind: 'Video',
      content_type: 'video/mp4',
      size_bytes: bytes.length,
      test_step: 'Log in',
      metadata: { browser: 'firefox' },
    });
    expect(answer.status, answer.text).to.equal(200);
    const { upload_url, upload_method, upload_headers, upload_expires_at, ...record } = answer.body;
    expect(record.artifact_id).to.match(idOf('artifact'));
    expect(record.created_at).to.match(instant);
    expect(record).to.include({
      test_result_id,
      project_id: team.project,
      label: 'The screen',
      kind: 'Video',
      content_type: 'video/mp4',
      size_bytes: bytes.length,
      test_step: 'Log in',
      expires_at: after(record.created_at, 30 * DAY),
    });
    expect(record.metadata).to.deep.equal({ browser: 'firefox' });
    expect({ upload_method, upload_headers, upload_expires_at }).to.deep.equal({
      upload_method: 'PUT',
      upload_headers: {},
      upload_expires_at: after(record.created_at, HOUR),
    });

    expect(await listed(test_result_id)).to.deep.equal([]);
    expectProblem(await download(record.artifact_id), 404, 'not_found');
    expect(await uploaded(upload_url, bytes)).to.equal(200);
    expect(await listed(test_result_id)).to.deep.equal([]);
    expectProblem(await download(record.artifact_id), 404, 'not_found');

    const confirmed = await confirm(record.artifact_id);
    expect([confirmed.status, confirmed.body]).to.deep.equal([200, record]);
    expect(await listed(test_result_id)).to.deep.equal([record]);
    const { status, body } = await download(record.artifact_id);
    expect(status).to.equal(200);
    expect(body).to.have.all.keys('download_url', 'expires_at');
    expect(body.expires_at).to.match(instant);
    expect(body.expires_at > new Date().toISOString()).to.equal(true);

    const file = await fetch(body.download_url);
    expect(file.status).to.equal(200);
    expect(file.headers.get('content-type')).to.equal('video/mp4');
    expect(file.headers.get('content-disposition')).to.match(/^inline; filename=/);
    const got = Buffer.from(await file.arrayBuffer());
    expect(sha256(got)).to.equal(sha256(bytes));

    expect((await team.owner.post(`/v1/test/run/${test_run_id}`, { status: 'Completed' })).status).to.equal(
      204,
    );
  });

  it('are listed for one result, oldest first, if they are confirmed', async () => {
    const ids: string[] = [];
    for (const label of ['one', 'two', 'three']) {
      ids.push((await givenArtifact(team.owner, result, 'the bytes', { label })).artifact_id);
    }
    await givenAnnounced(team.owner, result);
    const other = (await givenResult(team.owner, team.project)).test_result_id;
    await givenArtifact(team.owner, other);
    const items = await listed();
    expect(items.map((each: any) => each.artifact_id)).to.deep.equal(ids);
    expect(await listed(other)).to.have.length(1);
  });

  it('are listed by the id of a result only', async () => {
    expectFaults(await team.owner.get('/v1/test/artifact/'), '?test_result_id required');
    const path = `/v1/test/artifact/?test_result_id=${result}`;
    expectFaults(await team.owner.get(`${path}&page_size=10`), '?page_size unknown_field');
    for (const id of ['x', 'result_00000000000000000000000000', team.project]) {
      expectProblem(await team.owner.get(`/v1/test/artifact/?test_result_id=${id}`), 404, 'not_found');
    }
  });

  it('are 404 on every route as soon as they are deleted', async () => {
    for (const form of ['/ID', '/?artifact_id=ID']) {
      const { artifact_id } = await givenArtifact(team.owner, result);
      const answer = await team.owner.delete(`/v1/test/artifact${form.replace('ID', artifact_id)}`);
      expect([answer.status, answer.body]).to.deep.equal([200, { artifact_id, deleted: true }]);
      await expectGone(artifact_id);
    }
    const { artifact_id } = await givenAnnounced(team.owner, result);
    expect((await team.owner.delete(`/v1/test/artifact/${artifact_id}`)).status).to.equal(200);
    await expectGone(artifact_id);
  });

  async function expectGone(id: string): Promise<void> {
    for (const answer of [
      await download(id),
      await confirm(id),
      await team.owner.delete(`/v1/test/artifact/${id}`),
    ]) {
      expectProblem(answer, 404, 'not_found');
    }
  }

  it('refuse writes while their project is inactive, but not reads', async () => {
    const { artifact_id } = await givenArtifact(team.owner, result);
    const coming = await givenAnnounced(team.owner, result);
    await uploaded(coming.upload_url, 'the bytes');
    await givenInactive(team.owner, team.project);
    for (const answer of [
      await announce(),
      await confirm(coming.artifact_id),
      await team.owner.delete(`/v1/test/artifact/${artifact_id}`),
    ]) {
      expectProblem(answer, 403, 'project_inactive');
    }
    expect(await listed()).to.have.length(1);
    expect((await download(artifact_id)).status).to.equal(200);
  });
});

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

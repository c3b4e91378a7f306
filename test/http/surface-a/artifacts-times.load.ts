import { expect } from 'chai';
import { eventually } from '../../stores.js';
import { givenArtifact, givenProject, givenResult, newArtifact, uploaded } from '../given.js';
import { expectProblem } from '../refusals.js';
import { ownServer } from '../../kit/server.js';

const WITHIN_MS = 30_000;

describe('surface A: an artifact with a short lifetime', function () {
  const server = ownServer({ UPLOAD_TTL: 'PT5S', ARTIFACT_TTL: 'PT8S', ARTIFACT_MAX_RESULT_AGE: 'PT4S' });

  it('is refused for an old result, is 404 after its expiry, and loses its bytes', async () => {
    const { owner } = await server.newTeam();
    const project = await givenProject(owner);
    const { test_result_id } = await givenResult(owner, project);
    const seen = await givenArtifact(owner, test_result_id);
    const wanted = { ...newArtifact, test_result_id };
    const announce = (key: string) => owner.post('/v1/test/artifact/', wanted, { 'Idempotency-Key': key });
    const { body: coming } = await announce('once');
    const list = async () =>
      (await owner.get(`/v1/test/artifact/?test_result_id=${test_result_id}`)).body.items.length;
    expect(await list()).to.equal(1);

    await soon('the result is too old', async () => {
      const answer = await owner.post('/v1/test/artifact/', wanted);
      if (answer.status === 200 || answer.body.code === 'artifact_limit') return false;
      expectProblem(answer, 400, 'result_too_old');
      return true;
    });
    await soon('the upload is over', async () => {
      const { status } = await owner.post(`/v1/test/artifact/${coming.artifact_id}/confirm`);
      return status === 404;
    });
    expect(new Date().toISOString() >= coming.upload_expires_at).to.equal(true);
    expect(await uploaded(coming.upload_url, 'the bytes')).to.equal(403);
    // A repeat is signed with the first expiry and no later one: a later upload would never be deleted.
    const again = await announce('once');
    expect([again.status, again.body.artifact_id]).to.deep.equal([200, coming.artifact_id]);
    expect(again.body.upload_expires_at).to.equal(coming.upload_expires_at);
    expect(await uploaded(again.body.upload_url, 'the bytes')).to.equal(403);

    const { status, body: link } = await owner.get(`/v1/test/artifact/${seen.artifact_id}/download`);
    if (status === 200) expect(link.expires_at).to.equal(seen.expires_at);
    await soon('the artifact is over', async () => (await list()) === 0);
    expect(new Date().toISOString() >= seen.expires_at).to.equal(true);
    expectProblem(await owner.get(`/v1/test/artifact/${seen.artifact_id}/download`), 404, 'not_found');
    await soon('the janitor says so', async () => {
      const { text } = await server.as(null).get('/metrics');
      return ['expired', 'never_confirmed'].every((reason) =>
        new RegExp(`testledger_artifacts_deleted_total{reason="${reason}"} [1-9]`).test(text),
      );
    });
    await soon('bytes are reclaimed', async () => {
      const { text } = await server.as(null).get('/metrics');
      return /testledger_artifact_bytes_reclaimed_total ([1-9]\d*)/.test(text);
    });
  });
});

function soon(what: string, condition: () => Promise<boolean>): Promise<void> {
  return eventually(what, condition, WITHIN_MS);
}

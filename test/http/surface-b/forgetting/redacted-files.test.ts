import { expect } from 'chai';
import { randomUUID } from 'node:crypto';
import { ownServer } from '../../../kit/server.js';
import { bodyOf, givenArtifact, givenResult, givenTeamWithProject } from '../../given.js';

const reason = 'a key was in the log';

describe('surface B: the redaction of a text', () => {
  const server = ownServer();
  const team = givenTeamWithProject(server, 'each test');

  it('gives out no file with it from the answer on, also by a URL from before, of S3 once it is done, and all others', async () => {
    const text = `canary-${randomUUID()}`;
    const { test_result_id: id } = await givenResult(team.owner, team.project);
    const fileWith = async (bytes: string) => {
      const { artifact_id } = await givenArtifact(team.owner, id, bytes, { content_type: 'text/plain' });
      const path = `/v1/test/artifact/${artifact_id}/download`;
      return { path, url: (await bodyOf(team.owner, path)).download_url as string };
    };
    const [leaked, other] = [await fileWith(`log of ${text}`), await fileWith('another log')];
    const reads = (file: { path: string; url: string }) =>
      Promise.all([team.owner.get(file.path), fetch(file.url)]).then(([{ status }, file]) => [
        status,
        file.status,
      ]);
    expect(await reads(leaked)).to.deep.equal([200, 200]);
    const begun = await team.owner.post('/v1/redactions', { text, reason });
    expect(begun.status, begun.text).to.equal(202);
    const path = `/v1/redactions/${begun.body.data.id}`;
    for (let isDone = false; !isDone;) {
      isDone = (await bodyOf(team.owner, path)).data.state === 'done';
      const [byId, byUrl] = await reads(leaked);
      expect(byId).to.equal(404);
      if (isDone || new URL(leaked.url).origin === new URL(server.url).origin) expect(byUrl).to.equal(404);
      expect(await reads(other)).to.deep.equal([200, 200]);
    }
  });
});

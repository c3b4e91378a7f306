import { expect } from 'chai';
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { OPERATOR_TEAM } from '../../../src/commands/teams.js';
import { givenArtifact, givenProject, givenResult, givenRun, givenSubmission } from '../../http/given.js';
import type { Answer } from '../../kit/client.js';
import { filesIn } from '../../kit/files-in.js';
import { isGone, servers, until } from '../../kit/process.js';
import { newSeed, randomFrom } from '../seeded-random.js';
import { documentsOf } from '../stored-documents.js';

const ROUNDS = 5;
/** About as long as a purge takes. */
const LONGEST_MS = 5_000;

describe('the process: kill -9 during a purge', () => {
  const given = servers();

  it('leaves a purge that goes on after the start, until no byte is left and a rebuild gives the same', async () => {
    const seed = newSeed();
    const random = randomFrom(seed);
    let server = await given.start();
    const project = await givenProject(server.owner);
    await givenSubmission(server.owner, project, [
      { name: 'stays' },
      { name: 'stays too', status: 'failed' },
    ]);
    for (let round = 0; round < ROUNDS; round += 1) {
      const text = `canary-${randomUUID()}`;
      const { test_run_id: run } = await givenRun(server.owner, project, { label: text });
      const failure = { test_run_id: run, test_name: text, status: 'Failed', metadata: { note: text } };
      const { test_result_id: id } = await givenResult(server.owner, project, failure);
      await givenArtifact(server.owner, id, `log of ${text}`);
      const path = `/v1/test-runs/${run}`;
      let answer: Answer | null = null;
      const purge = async () => void (answer = await server.owner.delete(`${path}?confirm=${run}`));
      const asked = purge().catch((error: unknown) => {
        if (!isGone(error)) throw error;
      });
      await pause((round * LONGEST_MS) / ROUNDS + random.below(LONGEST_MS / ROUNDS));
      await server.kill();
      await asked;
      server = await given.start();
      const said = `seed ${seed}, round ${round}`;
      const { status } = await server.owner.get(path);
      if (answer !== null) expect(status, said).to.equal(404);
      if (status !== 404) await purge();
      await until(`no byte is left, ${said}`, async () => (await filesIn(given.folder, text)).length === 0);
      expect((await server.owner.get(path)).status, said).to.equal(404);
      expect((await server.owner.get(`/v1/test-results/${id}`)).status, said).to.equal(404);
    }
    await server.caughtUp();
    const before = await documentsOf(given.folder, OPERATOR_TEAM);
    expect((await given.cli(['rebuild']).ended).code).to.equal(0);
    const after = await documentsOf(given.folder, OPERATOR_TEAM);
    expect(Object.fromEntries(after)).to.deep.equal(Object.fromEntries(before));
    const { body } = await server.owner.get(`/v1/test-runs?project_id=${project}`);
    expect(body.data.map((each: any) => each.counts.total)).to.deep.equal([2]);
  });
});

import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import type { Api } from '../../kit/client.js';
import { givenProject } from '../../http/given.js';
import { newSeed, randomFrom } from '../seeded-random.js';
import { isGone, servers } from '../../kit/process.js';

const ROUNDS = 6;
const COUNT = 10_000;

describe('the process: kill -9 during submissions', () => {
  const given = servers();

  it('leaves each submission complete or absent, and stores it exactly once when it is repeated with its key', async () => {
    const seed = newSeed();
    const random = randomFrom(seed);
    /** The names of the submissions that were answered in the end. */
    const sent = ['first'];
    try {
      let server = await given.start();
      const project = await givenProject(server.owner);
      const results = Array.from({ length: COUNT }, (_, n) => ({ name: `test ${n}`, status: 'passed' }));
      const submit = (api: Api, name: string) =>
        api.post('/v1/test-runs', { project_id: project, label: name, results }, { 'Idempotency-Key': name });
      const began = performance.now();
      await submit(server.owner, 'first');
      // A kill at `absent` ms came before the commit, one at `there` ms after it: the next one comes between the two,
      // so that the kills get close to the commit on any machine. Twice the time of the first submission, since the
      // results of the round before are folded beside it.
      const around = { absent: 0, there: 2 * (performance.now() - began) };

      for (let round = 0; round < ROUNDS; round += 1) {
        const name = `round-${round}`;
        const sending = submit(server.owner, name).catch((error: unknown) => {
          if (!isGone(error)) throw error;
          return null;
        });
        // The first kill comes before a byte is sent and the last one after the answer, so that both outcomes are seen.
        const after =
          round === 0 ? 0 : around.absent + random.below(Math.ceil(around.there - around.absent) + 1);
        if (round === ROUNDS - 1) await sending;
        else if (round > 0) await pause(after);
        await server.kill();
        const answer = await sending;
        if (round === ROUNDS - 1) expect(answer?.status, answer?.text).to.equal(201);

        server = await given.start();
        await server.caughtUp();
        const before = await runsOf(server.owner, project);
        expectWhole(
          before.filter(({ label }) => sent.includes(label)),
          [sent.length],
        );
        const found = before.filter(({ label }) => label === name);
        expectWhole(found, round === 0 ? [0] : answer === null ? [0, 1] : [1]);
        around[found.length === 0 ? 'absent' : 'there'] = after;

        const again = await submit(server.owner, name);
        expect(again.status, again.text).to.equal(201);
        if (answer !== null) expect(again.text).to.equal(answer.text);
        if (found.length > 0) expect(again.body.data.id).to.equal(found[0]!.test_run_id);
        sent.push(name);
      }
      // A later kill may have come while it was folded.
      await server.caughtUp();
      const after = await runsOf(server.owner, project);
      expect(after.map(({ label }) => label)).to.have.members(sent);
      expectWhole(after, [sent.length]);
    } catch (error) {
      (error as Error).message += ` (TEST_SEED=${seed})`;
      throw error;
    }
  });
});

function expectWhole(runs: readonly any[], times: readonly number[]): void {
  expect(runs.length).to.be.oneOf([...times]);
  for (const { status, counts, count_snapshot } of runs) {
    expect(status).to.equal('Completed');
    expect(counts).to.include({ total: COUNT, passed: COUNT });
    expect(count_snapshot).to.include({ total: COUNT, passed: COUNT });
  }
}

async function runsOf(api: Api, project: string): Promise<any[]> {
  const { status, body, text } = await api.get(`/v1/test/run/?project_id=${project}&page_size=100`);
  expect(status, text).to.equal(200);
  return body.items;
}

import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import type { Answer, Api } from '../../kit/client.js';
import { givenProject } from '../../http/given.js';
import { newSeed, randomFrom } from '../seeded-random.js';
import { isGone, servers } from '../../kit/process.js';

const ROUNDS = 6;
const COUNT = 10_000;
const AT_ONCE = 1;

type Submission = { name: string; answer: Answer | null };

describe('the process: kill -9 during submissions', () => {
  const given = servers();

  it('leaves each submission complete or absent, and stores it exactly once when it is repeated with its key', async () => {
    const seed = newSeed();
    const random = randomFrom(seed);
    const seen = { there: 0, absent: 0 };
    /** The names of the submissions that were answered in the end. */
    const sent = named('first').map(({ name }) => name);
    try {
      let server = await given.start();
      const project = await givenProject(server.owner);
      const results = Array.from({ length: COUNT }, (_, n) => ({ name: `test ${n}`, status: 'passed' }));
      const submit = (api: Api, { name }: Submission) =>
        api.post('/v1/test-runs', { project_id: project, label: name, results }, { 'Idempotency-Key': name });
      // Twice the time of a submission on this machine, since the results of the round before are folded beside it: so
      // a kill may come at any moment of it.
      const began = performance.now();
      await Promise.all(named('first').map((each) => submit(server.owner, each)));
      const longest = 2 * (performance.now() - began);

      for (let round = 0; round < ROUNDS; round += 1) {
        const submissions = named(`round-${round}`);
        const { owner } = server;
        const sending = submissions.map(async (each) => {
          try {
            each.answer = await submit(owner, each);
          } catch (error) {
            if (!isGone(error)) throw error;
          }
        });
        // In another part of it each round, so that both outcomes come; in the last one after the answer, since the machine
        // may have become slower than it was at the first submission.
        await (round === ROUNDS - 1
          ? Promise.all(sending)
          : pause((round * longest) / ROUNDS + random.below(Math.ceil(longest / ROUNDS))));
        await server.kill();
        await Promise.all(sending);

        server = await given.start();
        await server.caughtUp();
        const before = await runsOf(server.owner, project);
        const former = before.filter(({ label }) => sent.includes(label));
        expectWhole(former, [sent.length]);
        for (const each of submissions) {
          const found = before.filter(({ label }) => label === each.name);
          seen[found.length === 0 ? 'absent' : 'there'] += 1;
          expectWhole(found, each.answer === null ? [0, 1] : [1]);
          const again = await submit(server.owner, each);
          expect(again.status, again.text).to.equal(201);
          if (each.answer !== null) expect(again.text).to.equal(each.answer.text);
          if (found.length > 0) expect(again.body.data.id).to.equal(found[0]!.test_run_id);
        }
        sent.push(...submissions.map(({ name }) => name));
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
    // Without both outcomes the test shows nothing.
    expect(seen.there, 'there after a kill').to.be.above(0);
    expect(seen.absent, 'absent after a kill').to.be.above(0);
  });
});

function named(name: string): Submission[] {
  return Array.from({ length: AT_ONCE }, (_, n) => ({ name: `${name}-${n}`, answer: null }));
}

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

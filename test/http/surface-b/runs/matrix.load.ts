import { expect } from 'chai';
import { bodyOf, givenProject, givenSubmission } from '../../given.js';
import { testServer } from '../../../kit/server.js';

const LEGS = ['linux', 'mac', 'windows'];
const COMMITS = 60;
const TESTS = 1_000;
const [BROKEN, FLAKY] = [20, 20];

describe('a matrix of three legs, 60 commits and 1,000 tests', function () {
  this.timeout(300_000);
  const server = testServer();

  it('has no test that is falsely flaky, misses none, and compares each leg with itself', async () => {
    const { owner } = await server.newTeam();
    const project = await givenProject(owner);
    /** The first tests always fail on Windows, the next ones fail and pass at one commit in one leg. */
    const statusOf = (test: number, leg: string, commit: number) => {
      if (test < BROKEN) return leg === 'windows' ? 'failed' : 'passed';
      const flakes = test < BROKEN + FLAKY && leg === LEGS[test % 3] && commit === COMMITS - 3;
      return flakes ? 'failed' : 'passed';
    };
    const runs: { id: string; leg: string }[] = [];
    for (let commit = 0; commit < COMMITS; commit += 1) {
      for (const leg of LEGS) {
        const items = Array.from({ length: TESTS }, (_, test) => ({
          name: `test ${test}`,
          status: statusOf(test, leg, commit),
        }));
        // A flake passes in its second attempt.
        const again = items.filter(({ status }, test) => status === 'failed' && test >= BROKEN);
        const { run } = await givenSubmission(
          owner,
          project,
          [...items, ...again.map(({ name }) => ({ name, status: 'passed', attempt: 2 }))],
          { metadata: { branch: 'main', commit: `c${commit}`, tool: 'jest', environment: { os: leg } } },
        );
        runs.push({ id: run, leg });
      }
      // On a busy machine the read models would fall behind by more than a GET is asked again.
      if (commit % 10 === 0) await bodyOf(owner, `/v1/test-runs/${runs.at(-1)!.id}/comparison`);
    }
    const numberOf = ({ name }: { name: string }) => Number(name.slice('test '.length));
    const inState = async (state: string) => {
      const { data } = await bodyOf(owner, `/v1/projects/${project}/tests?trouble=${state}&per_page=100`);
      return data.toSorted((one: any, other: any) => numberOf(one) - numberOf(other));
    };
    const from = (first: number, count: number) => Array.from({ length: count }, (_, n) => first + n);
    const [broken, flaky] = [await inState('broken'), await inState('flaky')];
    expect(broken.map(numberOf)).to.deep.equal(from(0, BROKEN));
    expect(flaky.map(numberOf)).to.deep.equal(from(BROKEN, FLAKY));
    for (const { environments } of broken) {
      const states = environments.map(({ environment, state }: any) => `${environment.os} ${state}`);
      expect(states).to.deep.equal(['windows broken', 'linux stable', 'mac stable']);
    }
    for (const test of flaky) {
      const lines = test.environments.filter(({ state }: any) => state === 'flaky');
      expect(lines.map(({ environment }: any) => environment.os)).to.deep.equal([LEGS[numberOf(test) % 3]]);
    }
    for (const [n, { id }] of runs.entries()) {
      if (n < LEGS.length || n % 7 !== 0) continue;
      const { data } = await bodyOf(owner, `/v1/test-runs/${id}/comparison`);
      expect(data.baseline.id).to.equal(runs[n - LEGS.length]!.id);
    }
  });
});

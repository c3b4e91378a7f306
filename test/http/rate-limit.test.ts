import { expect } from 'chai';
import type { Api } from './client.js';
import { givenKey } from './given.js';
import { expectError, expectProblem } from './refusals.js';
import { testServer, type Team } from './server.js';

const PER_SECOND = 2;
const BURST = 2 * PER_SECOND;

describe('the rate limit', () => {
  const server = testServer();
  let team: Team;
  const keys: string[] = [];
  before(async () => {
    team = await server.newTeam();
    for (let n = 0; n < 6; n += 1) keys.push(await givenKey(team.owner, 'member'));
    await server.stop();
    await server.start({ RATE_LIMIT: String(PER_SECOND) });
  });
  /** A key that has sent no request yet. */
  const rested = () => server.as(keys.pop()!);
  /** Many requests at once; their time bounds the tokens that were added meanwhile. */
  const flood = async (api: Api, count: number, path = '/v1/me') => {
    const began = performance.now();
    const answers = await Promise.all(Array.from({ length: count }, () => api.get(path)));
    return { answers, added: Math.ceil(((performance.now() - began) / 1_000) * PER_SECOND) };
  };

  it('accepts a burst of twice the rate, and the tokens that are added meanwhile', async () => {
    const { answers, added } = await flood(rested(), 20);
    const passed = answers.filter(({ status }) => status === 200);
    expect(passed).to.have.length.within(BURST, BURST + added);
    for (const refused of answers.filter(({ status }) => status !== 200)) {
      expectError(refused, 429, 'rate_limited');
    }
  });

  it('shows the remaining requests, and the time to retry', async () => {
    const api = rested();
    const first = await api.get('/v1/me');
    expect(first.headers.get('ratelimit-policy')).to.equal(`"default";q=${BURST};w=2`);
    expect(first.headers.get('ratelimit')).to.equal(`"default";r=${BURST - 1};t=1`);
    expect(first.headers.get('retry-after')).to.equal(null);
    const { answers } = await flood(api, 20, '/v1/test/project/');
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused).not.to.deep.equal([]);
    for (const answer of refused) {
      expectProblem(answer, 429, 'rate_limited');
      expect(answer.headers.get('ratelimit')).to.match(/^"default";r=0;t=\d+$/);
      expect(Number(answer.headers.get('retry-after'))).to.be.at.least(1);
    }
  });

  it('counts each key separately', async () => {
    await flood(rested(), 20);
    const { answers } = await flood(rested(), BURST);
    expect(answers.map(({ status }) => status)).to.deep.equal(Array.from({ length: BURST }, () => 200));
  });

  it('accepts a key again after it has waited', async () => {
    const api = rested();
    await flood(api, 20);
    const end = performance.now() + 5_000;
    for (let status = 429; status !== 200;) {
      ({ status } = await api.get('/v1/me'));
      expect(performance.now()).to.be.below(end);
    }
  });

  it('does not count 401 refusals, nor routes without a key', async () => {
    for (const path of ['/v1/me', '/v1/test/status', '/livez', '/v1/nothing']) {
      const { answers } = await flood(server.as(null), 20, path);
      for (const { status, headers } of answers) {
        expect(status).not.to.equal(429);
        expect(headers.has('ratelimit')).to.equal(false);
      }
    }
  });
});

describe('the rate limit when it is off', () => {
  const server = testServer({ RATE_LIMIT: 'off' });

  it('refuses nothing and sets no headers', async () => {
    const answers = await Promise.all(Array.from({ length: 500 }, () => server.operator.get('/v1/me')));
    for (const { status, headers } of answers) {
      expect(status).to.equal(200);
      expect(headers.has('ratelimit')).to.equal(false);
    }
  });
});

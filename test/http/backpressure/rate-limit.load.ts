import { expect } from 'chai';
import type { Answer, Api } from '../../kit/client.js';
import { givenKey, givenProject, givenSubmission } from '../given.js';
import { expectError, expectProblem } from '../refusals.js';
import {
  answerPoints,
  lookedThroughPoints,
  renderPoints,
  searchPoints,
} from '../../../src/http/backpressure/request-cost.js';
import { ownServer, testServer, type Team } from '../../kit/server.js';
import { eventually } from '../../stores.js';

const PER_SECOND = 2;
const BURST = 2 * PER_SECOND;

describe('the rate limit', () => {
  const server = ownServer();
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
    await eventually('it is accepted', async () => (await api.get('/v1/me')).status === 200);
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

describe('the points of a list', () => {
  it('are more where it looks through many tests or runs', () => {
    expect([0, 2_499, 2_500, 50_000].map(searchPoints)).to.deep.equal([0, 0, 1, 20]);
    expect([0, 100, 101, 1_000].map(lookedThroughPoints)).to.deep.equal([0, 0, 1, 9]);
  });
});

describe('the points of an answer', () => {
  it('are more where it is long, and one for each millisecond that a page took to render', () => {
    const kib = [0, 256, 257, 8 * 1_024];
    expect(kib.map((each) => answerPoints(each * 1_024))).to.deep.equal([0, 0, 1, 248]);
    expect([0.9, 1, 60.5].map(renderPoints)).to.deep.equal([0, 1, 60]);
  });
});

describe('the points of the rate limit', () => {
  const server = ownServer();
  let team: Team;
  let project: string;
  before(async () => {
    team = await server.newTeam();
    project = await givenProject(team.owner);
    for (let n = 0; n < 4; n += 1) await givenSubmission(team.owner, project, items(1_000));
    await server.stop();
    await server.start({ RATE_LIMIT: String(RATE) });
  });
  const RATE = 20;
  const items = (count: number) =>
    Array.from({ length: count }, (_, n) => ({ name: `test ${n}`, status: 'passed' }));
  const rested = async () => server.as(await givenKey(team.owner, 'member'));
  /** The points that a request of a rested key has cost. */
  const cost = ({ headers }: Answer) => 2 * RATE - Number(/;r=(\d+)/.exec(headers.get('ratelimit')!)![1]);
  /**
   * A key gets back the point that it has paid before, while it waits for a slow answer: then the answer says one less,
   * and another key asks again.
   */
  async function expectCost(
    status: number,
    points: number,
    ask: (api: Api) => Promise<Answer>,
  ): Promise<void> {
    let found = 0;
    for (let tries = 0; tries < MOST_TRIES && found < points; tries += 1) {
      const answer = await ask(await rested());
      expect(answer.status, answer.text).to.equal(status);
      found = cost(answer);
    }
    expect(found).to.equal(points);
  }
  const MOST_TRIES = 50;
  const result = (api: Api, text: string) =>
    api.post('/v1/test/result/', {
      project_id: project,
      test_name: 'signs in',
      status: 'Passed',
      metadata: { text },
    });

  it('are one for a usual request: a result with its metadata, a small submission, a page of up to 250 events', async () => {
    const small = { project_id: project, results: items(100) };
    await expectCost(200, 1, (api) => result(api, 'x'.repeat(8_000)));
    await expectCost(201, 1, (api) => api.post('/v1/test-runs', small));
    await expectCost(200, 1, (api) => api.get('/v1/events?limit=250'));
  });

  it('are more for a large body, a long page and a stream', async () => {
    await expectCost(200, 7, (api) => result(api, 'x'.repeat(60_000)));
    const stream = (api: Api) => api.get('/v1/events', { Accept: 'application/x-ndjson' });
    await expectCost(200, 10, stream);
    const page = await (await rested()).get('/v1/events?limit=1000');
    expect(page.status).to.equal(200);
    expect(cost(page)).to.be.within(8, 12);
  });

  it('are more for a long answer', async () => {
    const large = { name: 'a large one', status: 'failed', metadata: { text: 'x'.repeat(60_000) } };
    const { run } = await givenSubmission(
      team.owner,
      project,
      Array.from({ length: 10 }, () => large),
    );
    const path = `/v1/test-runs/${run}/results?per_page=10`;
    // A read that says that it is stale is sent again, and the same key pays twice.
    await (await rested()).get(path);
    await expectCost(200, 1 + Math.ceil((600 - 256) / 32), (api) => api.getOnce(path));
  });

  describe('of a page that costs more than all other requests together', () => {
    // Few: at any speed of the machine, a page costs more than the key gets back while it is read.
    const PAGES = 12;
    before(async () => {
      await server.stop();
      await server.start({ RATE_LIMIT: String(PAGES / 2) });
    });

    it('bring a key into debt, which it pays by waiting, and no other key', async () => {
      const api = await rested();
      // The debt is paid within two seconds.
      let next: Promise<Answer> | null = null;
      // Without the checks of the client: they would hold up the other reads, and the key would pay meanwhile.
      const page = async () => {
        const headers = { Authorization: api.key! };
        const answer = await fetch(`${server.url}/v1/events?limit=1000`, { headers });
        if (answer.status === 429) next ??= api.get('/v1/me');
        const text = await answer.text();
        return { status: answer.status, headers: answer.headers, text, body: JSON.parse(text) };
      };
      const pages = await Promise.all(Array.from({ length: PAGES }, page));
      const refused = pages.filter(({ status }) => status === 429);
      // All of them were let in. The later ones were refused once the earlier ones had cost more than the key had.
      expect(refused.length).to.be.within(1, PAGES - 1);
      for (const answer of [...refused, await next!]) {
        expectError(answer, 429, 'rate_limited');
        expect(Number(answer.headers.get('retry-after'))).to.be.within(1, 3);
        expect(answer.headers.get('ratelimit')).to.match(/^"default";r=0;t=[2-4]$/);
      }
      expect((await (await rested()).get('/v1/me')).status).to.equal(200);
    });
  });
});

describe('the rate limit when it is off', () => {
  const server = testServer();

  it('refuses nothing and sets no headers', async () => {
    const answers = await Promise.all(Array.from({ length: 500 }, () => server.operator.get('/v1/me')));
    for (const { status, headers } of answers) {
      expect(status).to.equal(200);
      expect(headers.has('ratelimit')).to.equal(false);
    }
  });
});

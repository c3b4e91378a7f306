import { expect } from 'chai';
import type { Answer, Api } from '../../kit/client.js';
import { ownServer } from '../../kit/server.js';
import { currentPage, givenArtifact, givenKey, givenSubmission, givenTeamWithProject } from '../given.js';
import { idOf, instant } from '../records.js';
import { expectError, expectRefused } from '../refusals.js';

const DAY_MS = 86_400_000;
const inDays = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString();

describe('surface B: links to runs', () => {
  const server = ownServer();
  const team = givenTeamWithProject(server, 'each test');
  const failed = { name: 'pays', status: 'failed', error_message: 'no card' };
  let run: string;
  let result: string;
  beforeEach(async () => {
    const made = await givenSubmission(team.owner, team.project, [failed]);
    run = made.run;
    result = made.results[0]!;
  });

  const path = () => `/v1/test-runs/${run}/links`;
  const givenLink = async (api: Api = team.owner, body: object = {}): Promise<any> => {
    const answer = await api.post(path(), body);
    expect(answer.status, answer.text).to.equal(201);
    return answer.body.data;
  };
  const open = (url: string, headers: Record<string, string> = {}) =>
    currentPage(url, { redirect: 'manual', headers });
  const days = ({ expires_at }: any) => Math.round((Date.parse(expires_at) - Date.now()) / DAY_MS);

  it('makes, lists and revokes links, with exactly the fields, and shows the URL once', async () => {
    const link = await givenLink();
    expect(link).to.have.all.keys('id', 'url', 'expires_at', 'created_at', 'created_by');
    expect(link.id).to.match(idOf('link'));
    expect(link.created_at).to.match(instant);
    expect(link.created_by).to.match(idOf('key'));
    expect(days(link)).to.equal(7);
    const { url, ...listed } = link;
    expect(url).to.match(new RegExp(`^${server.url}/shared/[\\w-]{43}$`));
    expect((await team.owner.get(path())).body.data).to.deep.equal([listed]);
    expect((await team.owner.delete(`${path()}/${link.id}`)).status).to.equal(204);
    expect((await team.owner.get(path())).body.data).to.deep.equal([]);
    expectRefused(await team.owner.delete(`${path()}/${link.id}`), path(), 404, 'not_found');
  });

  it('takes an end of up to 30 days, none behind, and none after that of the key', async () => {
    expect(days(await givenLink(team.owner, { expires_at: inDays(29.9) }))).to.equal(30);
    for (const expires_at of [inDays(31), inDays(-1), 'soon'])
      expectError(await team.owner.post(path(), { expires_at }), 400, 'invalid_request', 'validation_failed');
    const body = { name: 'CI', role: 'member', expires_at: inDays(2) };
    const mortal = server.as((await team.owner.post('/v1/keys', body)).body.data.key);
    expect((await givenLink(mortal)).expires_at).to.equal(body.expires_at);
    expectError(await mortal.post(path(), { expires_at: inDays(3) }), 403, 'forbidden', undefined);
  });

  it('has at most 50 links of a run', async () => {
    await Promise.all(Array.from({ length: 50 }, () => givenLink()));
    expectError(await team.owner.post(path(), {}), 409, 'conflict', 'link_limit');
    const { body } = await team.owner.get(path());
    expect(body.pagination.total).to.equal(50);
    await team.owner.delete(`${path()}/${body.data[0].id}`);
    await givenLink();
  });

  it('shows the run without a key or a cookie, to no cache, search engine or other site', async () => {
    const { status, headers, text } = await open((await givenLink()).url);
    expect(status).to.equal(200);
    expect(text).to.include('1 failed').and.to.include('pays').and.to.include('no card');
    expect(headers.get('cache-control')).to.equal('private, no-store');
    expect(headers.get('referrer-policy')).to.equal('no-referrer');
    expect(headers.get('x-robots-tag')).to.include('noindex');
    expect(headers.get('set-cookie')).to.equal(null);
  });

  it('answers a wrong, a revoked and an expired token alike', async () => {
    const [link, short] = [await givenLink(), await givenLink()];
    await team.owner.delete(`${path()}/${link.id}`);
    const wrong = `${server.url}/shared/${'A'.repeat(43)}`;
    const plain = ({ status, headers, text }: Awaited<ReturnType<typeof open>>) => {
      const { date: _, 'x-request-id': __, ...rest } = Object.fromEntries(headers);
      return { status, text, rest };
    };
    const expected = plain(await open(wrong));
    expect(expected.status).to.equal(404);
    for (const url of [link.url, `${link.url}/results`, `${server.url}/shared/x`, `${short.url}x`])
      expect(plain(await open(url))).to.deep.equal(expected);
  });

  it('limits guesses by address, and lets a right token in', async () => {
    const { url } = await givenLink();
    const statuses = new Set<number>();
    for (let n = 0; n < 25; n += 1) statuses.add((await open(`${server.url}/shared/guess-${n}`)).status);
    expect([...statuses]).to.deep.equal([404, 429]);
    expect((await open(url)).status).to.equal(200);
  });

  it('ends with the key that made it', async () => {
    const key = server.as(await givenKey(team.owner, 'member'));
    const { url, created_by } = await givenLink(key);
    expect((await open(url)).status).to.equal(200);
    await team.owner.delete(`/v1/keys/${created_by}`);
    expect((await open(url)).status).to.not.equal(200);
    expect((await team.owner.get(path())).body.data).to.deep.equal([]);
  });

  it('leads to files by URLs that end soon, of this run alone', async () => {
    const { url } = await givenLink();
    const { artifact_id } = await givenArtifact(team.owner, result);
    const other = await givenSubmission(team.owner, team.project, [failed]);
    const foreign = await givenArtifact(team.owner, other.results[0]!);
    const page = await open(`${url}/results/${result}`);
    expect(page.text).to.include(`/results/${result}/artifacts/${artifact_id}`);
    const led = await open(`${url}/results/${result}/artifacts/${artifact_id}`);
    expect(led.status).to.equal(303);
    const file = new URL(led.headers.get('location')!, server.url);
    expect(await (await fetch(file)).text()).to.equal('the bytes');
    const query = file.searchParams;
    const seconds = query.get('X-Amz-Expires') ?? (Number(query.get('expires')) - Date.now()) / 1_000;
    expect(Number(seconds)).to.be.at.most(301);
    for (const wrong of [
      `${result}/artifacts/${foreign.artifact_id}`,
      `${other.results[0]}/artifacts/${foreign.artifact_id}`,
    ])
      expect((await open(`${url}/results/${wrong}`)).status).to.equal(404);
  });
});

describe('surface B: badges', () => {
  const server = ownServer();
  const team = givenTeamWithProject(server, 'each test');
  const path = () => `/v1/projects/${team.project}/badges`;
  const givenBadge = async (branch = 'main'): Promise<any> => {
    const answer: Answer = await team.owner.post(path(), { branch });
    expect(answer.status, answer.text).to.equal(201);
    return answer.body.data;
  };
  const submit = (status: string, branch = 'main') =>
    givenSubmission(team.owner, team.project, [{ status }], { metadata: { branch } });

  it('makes, lists and removes badges, with exactly the fields, and shows the URL once', async () => {
    const badge = await givenBadge('feature/a b');
    expect(badge).to.have.all.keys('id', 'url');
    expect(badge.id).to.match(idOf('badge'));
    const { data } = (await team.owner.get(path())).body;
    expect(data).to.have.length(1);
    expect(data[0]).to.have.all.keys('id', 'branch', 'created_at', 'created_by');
    expect(data[0]).to.include({ id: badge.id, branch: 'feature/a b' });
    expect((await team.owner.delete(`${path()}/${badge.id}`)).status).to.equal(204);
    expect((await currentPage(badge.url)).status).to.equal(404);
    expectRefused(await team.owner.delete(`${path()}/${badge.id}`), path(), 404, 'not_found');
    expectError(await team.owner.post(path(), {}), 400, 'invalid_request', 'validation_failed');
  });

  it('says how the newest run of its branch is, and not that of another one', async () => {
    await submit('failed', 'other');
    expect((await currentPage((await givenBadge('empty')).url)).text).to.include('empty: no runs');
    await submit('passed');
    expect((await currentPage((await givenBadge()).url)).text).to.include('main: passing');
    await submit('failed');
    expect((await currentPage((await givenBadge()).url)).text).to.include('main: failing');
  });

  it('may be kept for a short time, and is a 304 for those who have it', async () => {
    const { url } = await givenBadge();
    const { headers } = await currentPage(url);
    expect(headers.get('content-type')).to.equal('image/svg+xml; charset=utf-8');
    expect(headers.get('cache-control')).to.equal('public, max-age=60');
    expect(headers.get('set-cookie')).to.equal(null);
    const again = await currentPage(url, { headers: { 'if-none-match': headers.get('etag')! } });
    expect(again.status).to.equal(304);
  });

  it('has at most 50 badges of a project', async () => {
    await Promise.all(Array.from({ length: 50 }, () => givenBadge()));
    expectError(await team.owner.post(path(), { branch: 'main' }), 409, 'conflict', 'badge_limit');
  });

  it('are read up to 600 times a minute from one address; the next reads are refused', async () => {
    const { url } = await givenBadge();
    await currentPage(url);
    const began = performance.now();
    const answers: Response[] = [];
    const refused = () => answers.filter(({ status }) => status === 429);
    while (refused().length === 0 && answers.length < 2_000)
      answers.push(...(await Promise.all(Array.from({ length: 20 }, async () => fetch(url)))));
    // Ten a second come back, and the tests before it have read some.
    const shown = answers.filter(({ status }) => status === 200).length;
    expect(shown).to.be.within(550, 600 + Math.ceil((performance.now() - began) / 100));
    expect(refused()[0]!.headers.get('retry-after')).to.equal('1');
  });
});

import { expect } from 'chai';
import type { Answer } from '../../kit/client.js';
import { allEvents } from '../events.js';
import { bodyOf, givenInactive, givenKey, givenProject, givenSubmission, givenTeam } from '../given.js';
import { expectError } from '../refusals.js';
import { testServer } from '../../kit/server.js';

const DAY = 86_400_000;
/** One moment for all, so that no test computes a day before midnight and again after it. */
const now = Date.now();
const daysAgo = (days: number) => new Date(now - days * DAY).toISOString();
const inDays = (days: number) => daysAgo(-days);
const refused = { status: 'failed', error_message: 'connection refused' };

describe('surface B: a group of failures as something that people work on', () => {
  const server = testServer();
  const team = givenTeam(server, 'each suite');
  let project: string;
  beforeEach(async () => {
    project = await givenProject(team.owner);
  });

  /** A run some days ago, in which these tests fail; `passes` passes. */
  const run = (days: number, failing: readonly string[], metadata: object | null = null) => {
    const at = daysAgo(days);
    const items = failing.map((name) => ({ name, started_at: at, ...refused }));
    const all = [...items, { name: 'passes', started_at: at }];
    return givenSubmission(team.owner, project, all, { started_at: at, finished_at: at, metadata });
  };
  const list = (query = '') => bodyOf(team.owner, `/v1/projects/${project}/failures${query}`);
  const groupOf = async (): Promise<string> => (await list()).data[0].group;
  const shown = async (group: string) =>
    (await bodyOf(team.owner, `/v1/projects/${project}/failures/${group}`)).data;
  const send = (method: 'PATCH' | 'PUT', path: string, body: object, api = team.owner): Promise<Answer> =>
    api.send({ method, path: `/v1/projects/${project}/failures/${path}`, content: JSON.stringify(body) });
  const change = async (group: string, body: object, api = team.owner) => {
    const answer = await send('PATCH', group, body, api);
    expect(answer.status, answer.text).to.equal(200);
    return answer.body.data;
  };
  const mark = (group: string, body: object = { reason: 'The bank is down.', expires_at: inDays(1) }) =>
    send('PUT', `${group}/known-failure`, body);
  const told = async (group: string) => {
    const events = await allEvents(team.owner);
    return events.filter(({ type, data }) => type.startsWith('Cause') && data.group === group);
  };

  it('is open from its first failure on, and shows its tests, days, branches and environments', async () => {
    await run(3, ['pays', 'refunds'], { branch: 'main', environment: { os: 'linux' } });
    await run(1, ['pays'], { branch: 'side', environment: { os: 'linux' } });
    const group = await groupOf();
    const data = await shown(group);
    expect(data).to.deep.include({ state: 'open', state_by: null, owner: null, note: null, tests: 2 });
    expect(data.known_failure).to.equal(null);
    expect(Date.parse(data.fixed_after) - Date.parse(data.last_seen.at)).to.equal(3 * DAY);
    expect(
      data.branches.map(({ branch, runs, results }: any) => [branch, runs, results]).sort(),
    ).to.deep.equal([
      ['main', 1, 2],
      ['side', 1, 1],
    ]);
    expect(data.environments).to.have.length(1);
    expect(data.environments[0]).to.deep.include({ environment: { os: 'linux' }, runs: 2, results: 3 });
    expect(data.days).to.deep.equal([
      { day: daysAgo(3).slice(0, 10), runs: 1, results: 2 },
      { day: daysAgo(1).slice(0, 10), runs: 1, results: 1 },
    ]);
    const tests = await bodyOf(team.owner, `/v1/projects/${project}/failures/${group}/tests`);
    expect(tests.data.map(({ name, results, known }: any) => [name, results, known])).to.deep.equal([
      ['pays', 2, false],
      ['refunds', 1, false],
    ]);
  });

  it('has the owner, note and ticket that a member gives it, and the owner of its test until then', async () => {
    const metadata = { owner: '@shop/checkout' };
    await givenSubmission(team.owner, project, [{ name: 'pays', ...refused, metadata }]);
    const group = await groupOf();
    expect(await shown(group)).to.deep.include({ owner: '@shop/checkout', named_owner: null });
    const member = server.as(await givenKey(team.owner, 'member'));
    const said = { owner: 'Mia', note: 'See the log of the bank.', ticket: 'https://tickets.example/7' };
    const data = await change(group, said, member);
    expect(data).to.deep.include({ ...said, named_owner: 'Mia', state: 'open' });
    expect(await shown(group)).to.deep.equal(data);
    expect((await list()).data[0]).to.deep.include({ owner: 'Mia', ticket: said.ticket, state: 'open' });
    const taken = await change(group, { owner: null, ticket: null });
    expect(taken).to.deep.include({
      owner: '@shop/checkout',
      named_owner: null,
      ticket: null,
      note: said.note,
    });
    await change(group, { note: said.note });
    expect((await told(group)).map(({ data }) => data)).to.deep.equal([
      { group, project_id: project, ...said },
      { group, project_id: project, owner: null, ticket: null },
    ]);
  });

  it('takes no ticket but a web address, no text beyond its bound, and nothing in an inactive project', async () => {
    await run(1, ['pays']);
    const group = await groupOf();
    for (const body of [
      { ticket: 'javascript:alert(1)' },
      { ticket: 'ftp://files.example/1' },
      { ticket: 'TICKET-1' },
      { note: 'x'.repeat(4_097) },
      { note: '' },
      { owner: 'x'.repeat(256) },
      { state: 'known' },
      { title: 'another' },
    ]) {
      expectError(await send('PATCH', group, body), 400, 'invalid_request');
    }
    const nowhere = 'group_01h455vb4pex5vsknk084sn02q';
    for (const path of [nowhere, 'x']) expectError(await send('PATCH', path, {}), 404, 'not_found');
    expectError(await mark(nowhere), 404, 'not_found');
    await givenInactive(team.owner, project);
    expect((await send('PATCH', group, { note: 'x' })).status).to.equal(403);
    expect((await mark(group)).status).to.equal(403);
  });

  it('is fixed when a member says so, and came back when it fails after that', async () => {
    await run(1, ['pays']);
    const group = await groupOf();
    const fixed = await change(group, { state: 'fixed' });
    expect(fixed).to.deep.include({ state: 'fixed', state_by: 'first key', fixed_after: null });
    await run(0.5, ['pays']);
    expect((await shown(group)).state, 'a failure that ran before').to.equal('fixed');
    const { results } = await givenSubmission(team.owner, project, [{ name: 'pays', ...refused }]);
    expect(await shown(group)).to.deep.include({ state: 'came_back', state_by: null });
    const [, back] = await told(group);
    expect(back).to.deep.include({ type: 'CauseCameBack', actor: 'system' });
    expect(back!.data).to.deep.include({ group, result_id: results[0], fixed_at: fixed.state_since });
    expect((await change(group, { state: 'open' })).state).to.equal('open');
  });

  it('is fixed by a run after it has stayed away for longer than ever, and for three days', async () => {
    await run(40, ['pays']);
    await run(30, ['pays']);
    const group = await groupOf();
    await run(28, []);
    await run(20.5, []);
    expect((await shown(group)).state, 'ten days were between its failures').to.equal('open');
    const last = await run(19, []);
    expect(await shown(group)).to.deep.include({ state: 'fixed', state_by: null });
    const events = await told(group);
    expect(events.map(({ type }) => type)).to.deep.equal(['CauseFixed']);
    expect(events[0]!.data.run_id).to.equal(last.run);
    await run(10, ['pays']);
    expect((await shown(group)).state).to.equal('came_back');
    await run(1, []);
    expect((await shown(group)).state, 'twenty days were between its failures').to.equal('came_back');
  });

  it('is known while a test is known through it: one call marks all its tests, and one ends that', async () => {
    await run(1, ['pays', 'refunds']);
    const group = await groupOf();
    const answer = await mark(group);
    expect(answer.status, answer.text).to.equal(200);
    const { data } = answer.body;
    expect(data.state).to.equal('known');
    expect(data.known_failure).to.deep.include({ reason: 'The bank is down.', tests: 2, branch: null });
    const known = async () =>
      (await bodyOf(team.owner, `/v1/projects/${project}/tests?known_failure=true`)).data;
    expect((await known()).map(({ name }: any) => name).sort()).to.deep.equal(['pays', 'refunds']);
    const { run: next } = await givenSubmission(team.owner, project, [{ name: 'pays', ...refused }]);
    expect((await bodyOf(team.owner, `/v1/test-runs/${next}`)).data.gate).to.equal('passed');
    expect(
      (await team.owner.delete(`/v1/projects/${project}/failures/${group}/known-failure`)).status,
    ).to.equal(204);
    expect(await known()).to.deep.equal([]);
    expect(await shown(group)).to.deep.include({ state: 'open', known_failure: null });
    const again = await team.owner.delete(`/v1/projects/${project}/failures/${group}/known-failure`);
    expectError(again, 404, 'not_found');
    const sets = (await allEvents(team.owner)).filter(({ type }) => type === 'KnownFailureSet');
    expect(sets.map((event) => event.data.group)).to.deep.equal([group, group]);
  });

  it('leaves alone what somebody set for one of its tests since, and ends the rest when it is fixed', async () => {
    await run(1, ['pays', 'refunds']);
    const group = await groupOf();
    await mark(group);
    const tests = (await bodyOf(team.owner, `/v1/projects/${project}/tests?q=refunds`)).data;
    const path = `/v1/projects/${project}/tests/${tests[0].id}/known-failure`;
    const own = { reason: 'Another thing.', expires_at: inDays(2) };
    await team.owner.send({ method: 'PUT', path, content: JSON.stringify(own) });
    expect((await shown(group)).known_failure.tests).to.equal(1);
    const data = await change(group, { state: 'fixed' });
    expect(data).to.deep.include({ state: 'fixed', known_failure: null });
    const known = await bodyOf(team.owner, `/v1/projects/${project}/tests?known_failure=true`);
    expect(known.data.map(({ name }: any) => name)).to.deep.equal(['refunds']);
  });

  it('is found in the list by its state and by its owner, with any other filter', async () => {
    await run(1, ['pays'], { branch: 'main' });
    const group = await groupOf();
    await givenSubmission(team.owner, project, [{ status: 'failed', error_message: 'another' }]);
    await change(group, { state: 'fixed', owner: 'Mia' });
    const found = async (query: string) => {
      const { data, pagination } = await list(query);
      expect(pagination.total).to.equal(data.length);
      return data.map((each: any) => each.group === group);
    };
    expect(await found('?state=fixed')).to.deep.equal([true]);
    expect(await found('?state=open')).to.deep.equal([false]);
    expect(await found('?state=came_back')).to.deep.equal([]);
    expect(await found('?owner=Mia')).to.deep.equal([true]);
    expect(await found('?owner=Mia&state=open')).to.deep.equal([]);
    expect(await found(`?owner=Mia&state=fixed&branch=main&since=${daysAgo(2)}`)).to.deep.equal([true]);
    expect(await found('?state=fixed&branch=side')).to.deep.equal([]);
    expectError(await team.owner.get(`/v1/projects/${project}/failures?state=gone`), 400, 'invalid_request');
  });

  it('tells its history, newest first: what runs did, and who said what', async () => {
    await run(30, ['pays', 'refunds'], { branch: 'main' });
    const group = await groupOf();
    await run(20, []);
    const back = await run(10, ['pays']);
    await change(group, { owner: '@bank', note: 'See the log.' });
    const once = { reason: 'The bank is down.', expires_at: inDays(1) };
    await mark(group, once);
    await mark(group, once);
    await change(group, { state: 'fixed', ticket: 'https://tickets.example/7' });
    const path = `/v1/projects/${project}/failures/${group}/history`;
    const { data, pagination } = await bodyOf(team.owner, path);
    expect(data.map(({ type }: any) => type)).to.deep.equal([
      'known_ended',
      'said',
      'known',
      'said',
      'came_back',
      'fixed',
      'opened',
    ]);
    const [ended, fixed, known, said, came] = data;
    expect(fixed.text).to.match(
      / said that it is fixed and named the ticket https:\/\/tickets.example\/7\.$/,
    );
    expect(known.text).to.match(/ marked its tests as known until [-\d]{10}: The bank is down\.$/);
    expect(said.text).to.match(/ named "@bank" as the owner and wrote the note "See the log\."\.$/);
    expect(ended.text).to.match(/ ended the known failures of its tests\.$/);
    for (const each of [ended, fixed, known, said]) expect(each.by, each.text).to.be.a('string');
    expect(came).to.deep.include({ by: null, run_id: back.run });
    const second = await bodyOf(team.owner, `${path}?page=2&per_page=3`);
    expect(second.data).to.deep.equal(data.slice(3, 6));
    expect([pagination.total, second.pagination.total]).to.deep.equal([7, 7]);
  });
});

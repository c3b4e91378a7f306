import { expect } from 'chai';
import { bodyOf, givenProject, givenSubmission, givenTeam } from '../given.js';
import { expectError } from '../refusals.js';
import { testServer } from '../../kit/server.js';

const HOUR = 3_600_000;
const hoursAgo = (hours: number) => new Date(Date.now() - hours * HOUR).toISOString();

describe('surface B: filters and orders of lists', () => {
  const server = testServer();
  const team = givenTeam(server, 'each suite');
  let project: string;
  beforeEach(async () => {
    project = await givenProject(team.owner);
  });

  const submit = (items: readonly object[], metadata: object = {}, hours = 0) =>
    givenSubmission(team.owner, project, items, { metadata, finished_at: hoursAgo(hours) });
  const known = (name: string) =>
    team.owner.send({
      method: 'PUT',
      path: `/v1/projects/${project}/tests/${name}/known-failure`,
      content: JSON.stringify({ reason: 'The bank is down.', expires_at: hoursAgo(-24) }),
    });
  const tests = async (query: string) => {
    const { data, pagination } = await bodyOf(team.owner, `/v1/projects/${project}/tests?${query}`);
    expect(pagination.total).to.equal(data.length);
    return data.map(({ name }: { name: string }) => name);
  };
  const refused = async (path: string) => expectError(await team.owner.get(path), 400, 'invalid_request');

  it('select runs by tool, by actor, and by when they ran, however late they were recorded', async () => {
    const old = await submit([{}], { tool: 'jest', actor: 'ada' }, 48);
    const first = await submit([{}], { tool: 'pytest', actor: 'ada' }, 1);
    const second = await submit([{}], { tool: 'jest', actor: 'grace' });
    const runs = async (query: string) => {
      const { data } = await bodyOf(team.owner, `/v1/test-runs?project_id=${project}&${query}`);
      return data.map(({ id }: { id: string }) => id);
    };
    expect(await runs('tool=jest')).to.deep.equal([second.run, old.run]);
    expect(await runs('actor=ada')).to.deep.equal([first.run, old.run]);
    expect(await runs(`since=${hoursAgo(24)}`)).to.deep.equal([second.run, first.run]);
    expect(await runs(`since=${hoursAgo(24)}&tool=pytest&status=passed`)).to.deep.equal([first.run]);
    expect(await runs('order=asc')).to.deep.equal([old.run, first.run, second.run]);
    expect(await runs('order=asc&tool=jest')).to.deep.equal([old.run, second.run]);
    await refused(`/v1/test-runs?project_id=${project}&since=yesterday`);
  });

  it('select tests that need somebody, and known failures, by owner, tags and words too', async () => {
    const of = (name: string, owner: string, tags: readonly string[], status = 'failed') => ({
      name,
      status,
      metadata: { owner, tags },
    });
    await submit([
      of('pays by card', 'shop', ['slow']),
      of('pays in cash', 'shop', []),
      of('ships', 'stock', ['slow']),
      of('signs in', 'shop', [], 'passed'),
    ]);
    expect(await tests('trouble=failing&owner=shop')).to.have.members(['pays by card', 'pays in cash']);
    expect(await tests('trouble=any&tag=slow&owner=stock')).to.deep.equal(['ships']);
    expect(await tests('trouble=failing&not_tag=slow')).to.deep.equal(['pays in cash']);
    expect(await tests('trouble=failing&q=BY+card')).to.deep.equal(['pays by card']);
    expect(await tests('not_tag=slow&q=s')).to.deep.equal(['pays in cash', 'signs in']);
    expect(await tests('q=pays+by')).to.deep.equal(['pays by card']);
    const { data } = await bodyOf(team.owner, `/v1/projects/${project}/tests?trouble=failing`);
    for (const { id } of data) expect((await known(id)).status).to.equal(200);
    expect(await tests('known_failure=true&owner=stock')).to.deep.equal(['ships']);
    expect(await tests('known_failure=true&not_tag=slow')).to.deep.equal(['pays in cash']);
    expect(await tests('known_failure=true&q=pays')).to.have.members(['pays by card', 'pays in cash']);
    await refused(`/v1/projects/${project}/tests?not_run_since=${hoursAgo(1)}&not_tag=slow`);
  });

  it('put tests in the order of their names, also from the last one on', async () => {
    await submit(['b', 'a', 'c'].map((name) => ({ name: `test ${name}`, metadata: { tags: [name] } })));
    expect(await tests('sort=name&order=desc')).to.deep.equal(['test c', 'test b', 'test a']);
    expect(await tests('sort=name&order=desc&not_tag=b')).to.deep.equal(['test c', 'test a']);
    expect(await tests('sort=name&order=asc')).to.deep.equal(['test a', 'test b', 'test c']);
    await refused(`/v1/projects/${project}/tests?sort=name&from=2026-01-01`);
    await refused(`/v1/projects/${project}/tests?sort=name&trouble=any`);
    await refused(`/v1/projects/${project}/tests?order=asc`);
  });

  it('select groups of failures by words of their titles, and put them in the order of when they were seen', async () => {
    const fails = (message: string) => [{ status: 'failed', error_message: message }];
    await submit(fails('The bank refused the card'), {}, 30);
    await submit(fails('The bank refused the card'), {}, 20);
    await submit(fails('No stock is left'), {}, 1);
    const titles = async (query: string) => {
      const { data } = await bodyOf(team.owner, `/v1/projects/${project}/failures?${query}`);
      return data.map(({ title }: { title: string }) => /bank|stock/.exec(title)?.[0]);
    };
    expect(await titles('')).to.deep.equal(['bank', 'stock']);
    expect(await titles('sort=last_seen')).to.deep.equal(['stock', 'bank']);
    expect(await titles('sort=last_seen&order=asc')).to.deep.equal(['bank', 'stock']);
    expect(await titles('order=asc')).to.deep.equal(['stock', 'bank']);
    expect(await titles(`since=${hoursAgo(48)}&sort=last_seen`)).to.deep.equal(['stock', 'bank']);
    expect(await titles('q=CARD+bank')).to.deep.equal(['bank']);
    expect(await titles('q=card+stock')).to.deep.equal([]);
  });

  it('select results of a run by owner and tags, and put them in the order of status or duration', async () => {
    const { run } = await submit([
      { name: 'passes', duration_ms: 30, metadata: { owner: 'shop', tags: ['slow'] } },
      { name: 'skips', status: 'skipped' },
      { name: 'fails', status: 'failed', duration_ms: 10, metadata: { owner: 'shop' } },
      { name: 'fails too', status: 'failed', duration_ms: 30, metadata: { owner: 'stock' } },
      { name: 'is known', status: 'known_fail', duration_ms: 20 },
    ]);
    const path = `/v1/test-runs/${run}/results`;
    const results = async (query: string) => {
      const { data } = await bodyOf(team.owner, `${path}?${query}`);
      return data.map(({ name }: { name: string }) => name);
    };
    expect(await results('owner=shop')).to.deep.equal(['passes', 'fails']);
    expect(await results('owner=shop&not_tag=slow')).to.deep.equal(['fails']);
    expect(await results('q=fails+too')).to.deep.equal(['fails too']);
    expect(await results('sort=status')).to.deep.equal(['fails', 'fails too', 'is known', 'skips', 'passes']);
    expect(await results('sort=status&order=desc&per_page=2')).to.deep.equal(['passes', 'skips']);
    expect(await results('sort=duration')).to.deep.equal([
      'passes',
      'fails too',
      'is known',
      'fails',
      'skips',
    ]);
    expect(await results('sort=duration&order=asc&per_page=2&page=2')).to.deep.equal(['is known', 'passes']);
    expect(await results('sort=duration&page=9')).to.deep.equal([]);
    await refused(`${path}?order=asc`);
    await refused(`${path}?sort=status&around=${run}`);
  });
});

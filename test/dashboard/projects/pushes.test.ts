import { expect } from 'chai';
import { OPERATOR_TEAM } from '../../../src/commands/teams.js';
import { givenProject } from '../../http/given.js';
import { listPages } from './list-pages.js';

const TEAM = `/teams/${OPERATOR_TEAM}`;

describe('the lists of a project', () => {
  const { server, client, shown, rows, submit, at } = listPages();

  it('show the runs of one push in one row, with one verdict, and lead from it to the commit and to each run', async () => {
    const project = await givenProject(client);
    const leg = (tool: string, commit: string, items: readonly object[], minute: number) =>
      submit(project, items, {
        metadata: { branch: 'main', commit, tool, message: `Push ${commit}` },
        ...at(minute, 20),
      });
    const { run: jest } = await leg('jest', 'one', [{}, {}], 10);
    const { run: alone } = await leg('jest', 'two', [{}], 11);
    const { run: playwright } = await leg('playwright', 'one', [{ status: 'failed' }, {}, {}], 12);
    const path = `${TEAM}/projects/${project}`;
    const found = await rows(path);
    expect(found).to.have.length(2);
    expect(found[0])
      .to.match(/^. ?failed ?Push one/u)
      .and.match(/failed ?playwright/u)
      .and.match(/passed ?jest/u)
      .and.include('1 failed of 5')
      .and.include('1 new')
      .and.include('20.0 s');
    expect(found[1])
      .to.match(/^. ?passed ?Push two/u)
      .and.include('1 result');
    const html = await shown(path);
    for (const run of [jest, playwright, alone]) expect(html).to.include(`${TEAM}/runs/${run}"`);
    expect(html).to.include(`href="${path}/change?commit=one"`);
    expect(await rows(`${path}?q=tool:jest`)).to.have.length(2);
  });

  it('judge a push by its newest build, and not by one that was run again', async () => {
    const project = await givenProject(client);
    const build = (name: string, items: readonly object[]) =>
      submit(project, items, { metadata: { branch: 'main', commit: 'one', build: name } });
    await build('1', [{ status: 'failed' }]);
    await build('2', [{}]);
    expect((await rows(`${TEAM}/projects/${project}`))[0])
      .to.match(/^. ?passed/u)
      .and.include('1 result')
      .and.not.include('gate failed');
  });

  it('are CSV files of the rows that they show', async () => {
    const project = await givenProject(client);
    const failed = { name: '=pays, "by card"', status: 'failed', error_message: 'TypeError: no card' };
    await submit(project, [failed, { name: 'ships' }], { metadata: { branch: 'main', message: 'First' } });
    await submit(project, [{ name: 'ships' }], { metadata: { branch: 'wallet', message: 'Second' } });
    const base = `${TEAM}/projects/${project}`;
    const file = async (path: string, query: string) =>
      (await shown(`${path}?format=csv&q=${encodeURIComponent(query)}`)).trimEnd().split('\r\n');
    const runs = await file(base, 'branch:main');
    expect(runs[0]).to.match(/^run_id,title,state,/);
    expect(runs).to.have.length(2);
    expect(runs[1]).to.match(/^run_\w+,First,failed,completed,failed,main,/);
    expect(await file(base, '')).to.have.length(3);
    const tests = await file(`${base}/tests`, 'state:all');
    expect(tests).to.have.length(3);
    expect(tests.join('\n')).to.include(`,"'=pays, ""by card""",failing,`);
    const causes = await file(`${base}/failures`, '');
    expect(causes).to.have.length(2);
    expect(causes[1]).to.include('TypeError: no card').and.include(',open,');
    expect((await shown(`${base}/tests?q=state:all`)).replaceAll('&amp;', '&')).to.include(
      `${base}/tests?q=state%3Aall&format=csv`,
    );
  });

  it('refuse a second project of one name, and keep what was typed', async () => {
    const form = { name: 'One of a kind', description: 'A second one', default_branch: 'trunk' };
    const send = () => server.post(`${TEAM}/projects`, { as: 'admin', form });
    expect((await send()).status).to.equal(303);
    const { status, text } = await send();
    expect(status).to.equal(409);
    expect(text).to.include('There is a project of this name already.').and.include('value="A second one"');
    const { data } = (await client.get('/v1/projects?q=One%20of%20a%20kind')).body;
    expect(data).to.have.length(1);
  });
});

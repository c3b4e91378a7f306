import { expect } from 'chai';
import { OPERATOR_TEAM } from '../../../src/commands/teams.js';
import { givenInactive, givenProject, givenResult, givenRun } from '../../http/given.js';
import { OWNER_KEY } from '../../kit/environment.js';
import { eventually } from '../../stores.js';
import { elementsIn, textOf } from '../html.js';
import { sessionOf } from '../../kit/fake-people.js';
import { listPages } from './list-pages.js';

const TEAM = `/teams/${OPERATOR_TEAM}`;

describe('the pages of projects', () => {
  const { server, client, shown, rows, submit, at } = listPages();

  it('show how each active project stands, and only the names of inactive ones', async () => {
    const shop = await givenProject(client, { name: 'The shop' });
    const old = await givenProject(client, { name: 'The old site' });
    await submit(shop, [{ status: 'failed' }, {}, {}, {}], { metadata: { branch: 'main' } });
    await givenInactive(client, old);
    const [row] = (await rows(`${TEAM}/projects`)).filter((each) => each.includes('The shop'));
    expect(row).to.include('failed').and.include('75.0 % of tests passed').and.include('0 of 1 run green');
    expect((await rows(`${TEAM}/projects`)).join()).not.to.include('The old site');
    expect(await shown(`${TEAM}/projects`))
      .to.include('The old site')
      .and.include('inactive project');
  });

  it('show no share of passed tests where the default branch has no run yet', async () => {
    const project = await givenProject(client, { name: 'Only a branch' });
    await submit(project, [{ status: 'failed' }, {}], { metadata: { branch: 'wallet' } });
    const [row] = (await rows(`${TEAM}/projects`)).filter((each) => each.includes('Only a branch'));
    expect(row).to.include('no run of main yet').and.not.include('%');
  });

  it('show the command that posts a first run while a project has none, without a key', async () => {
    const project = await givenProject(client);
    const text = await shown(`${TEAM}/projects/${project}`);
    expect(text).to.include(`curl ${server.url}/v1/test-runs`).and.include(project);
    expect(text).not.to.include(OWNER_KEY);
  });

  it('show of each run what is new in it, and how much longer it took than the one before on its branch', async () => {
    const project = await givenProject(client);
    const run = (status: string, message: string, branch: string, minute: number, seconds: number) =>
      submit(project, [{ name: 'pays', status }], { metadata: { branch, message }, ...at(minute, seconds) });
    await run('passed', 'First', 'main', 10, 10);
    await run('failed', 'On a branch', 'wallet', 20, 40);
    await run('passed', 'Second\n\nwith a text below', 'main', 30, 15);
    const found = await rows(`${TEAM}/projects/${project}`);
    expect(found.map((row) => /First|On a branch|Second/.exec(row)?.[0])).to.deep.equal([
      'Second',
      'On a branch',
      'First',
    ]);
    expect(found[0]).to.include('15.0 s+5.0 s').and.not.include('with a text below');
    expect(found[1]).to.include('1 new').and.include('40.0 s').and.not.include('40.0 s+');
  });

  it('show of corrected runs no new failure where none failed, else what the gate says', async () => {
    const project = await givenProject(client);
    const { results } = await submit(project, [{ status: 'failed' }], { metadata: { branch: 'wallet' } });
    const path = `${TEAM}/projects/${project}`;
    expect((await rows(path))[0]).to.include('1 new');
    await client.post(`/v1/test/result/${results[0]!}`, { status: 'Passed' });
    expect((await rows(path))[0])
      .to.include('1 result')
      .and.not.match(/\d new/)
      .and.not.include('gate');
    // A failure that a correction made is in the gate, and not in the count.
    await submit(project, [{ name: 'pays' }], { metadata: { branch: 'main' } });
    const corrected = await submit(project, [{ name: 'pays' }], { metadata: { branch: 'wallet' } });
    const body = { status: 'Failed', error_message: 'late' };
    await client.post(`/v1/test/result/${corrected.results[0]!}`, body);
    expect((await rows(path))[0])
      .to.include('gate failed')
      .and.include('new')
      .and.not.include('none');
  });

  it('say the same of a run without an outcome as the page of the run, in the list of runs and in that of projects', async () => {
    const result = (status: string) => ({ test_name: 'pays', status });
    const cases = [
      { results: [], isOver: true, word: 'no results', head: 'No results' },
      {
        results: [result('Running'), result('Pending')],
        isOver: true,
        word: 'nothing finished',
        head: 'Nothing finished 2 unfinished',
      },
      { results: [], isOver: false, word: 'pending', head: 'Waiting for results pending' },
      {
        results: [result('Running')],
        isOver: false,
        word: 'running',
        head: 'Nothing failed so far 1 still to come running',
      },
      {
        results: [result('Failed'), result('Running')],
        isOver: false,
        word: 'failed',
        head: '1 failed: 1 new, nothing to compare with 1 still to come running',
      },
    ];
    for (const { results, isOver, word, head } of cases) {
      const project = await givenProject(client, { name: `Of ${head}` });
      const { test_run_id } = await givenRun(client, project);
      const status = isOver ? 'Completed' : head.endsWith('running') ? 'Running' : 'Pending';
      for (const each of results) await givenResult(client, project, { test_run_id, ...each });
      await client.post(`/v1/test/run/${test_run_id}`, { status });
      const found = elementsIn(await shown(`${TEAM}/runs/${test_run_id}`));
      const h1 = textOf(found.find(({ tagName }) => tagName === 'h1')!).replace(/\s+/g, ' ');
      expect(h1).to.match(new RegExp(`^. ?${word} ${head.replaceAll(' ', ' ?')}$`, 'u'));
      const path = `${TEAM}/projects/${project}`;
      expect((await rows(path))[0], head).to.match(new RegExp(`^. ?${word}`, 'u'));
      expect((await shown(path)).includes('class="badge running"'), head).to.equal(!isOver);
      const ofProject = (await rows(`${TEAM}/projects`)).find((each) => each.includes(`Of ${head}`));
      expect(ofProject, head).to.match(new RegExp(`^. ?${isOver ? word : 'no runs'}`, 'u'));
    }
  });

  it('filter runs by branch, outcome and text, as the URL says', async () => {
    const project = await givenProject(client);
    await submit(project, [{}], { label: 'Green', metadata: { branch: 'main' } });
    await submit(project, [{ status: 'failed' }], { label: 'Red', metadata: { branch: 'main' } });
    await submit(project, [{ status: 'failed' }], { label: 'Other', metadata: { branch: 'wallet' } });
    const found = async (query: string) =>
      (await rows(`${TEAM}/projects/${project}?q=${encodeURIComponent(query)}`)).map(
        (row) => /Green|Red|Other/.exec(row)?.[0],
      );
    expect(await found('branch:main')).to.deep.equal(['Red', 'Green']);
    expect(await found('status:failed')).to.deep.equal(['Other', 'Red']);
    expect(await found('GREE')).to.deep.equal(['Green']);
    expect(await found('branch:main status:failed re')).to.deep.equal(['Red']);
    expect(await found('branch:none')).to.deep.equal([]);
  });

  it('say of failed attempts what they are, and offer no filters where there is no run', async () => {
    const project = await givenProject(client);
    expect(await shown(`${TEAM}/projects/${project}`)).not.to.include('class="filter"');
    const retried = [
      { name: 'pays', status: 'failed', attempt: 1 },
      { name: 'pays', attempt: 2 },
    ];
    await submit(project, retried);
    await submit(project, [...retried, { name: 'ships', status: 'failed' }]);
    const [red, green] = await rows(`${TEAM}/projects/${project}`);
    expect(green).to.include('1 failed attempt');
    expect(red).to.include('1 failed of 2');
    expect(await shown(`${TEAM}/projects/${project}`)).to.include('class="filter"');
  });

  it('list the tests that need attention, and all tests for a search', async () => {
    const project = await givenProject(client);
    await submit(project, [
      { name: 'signs in' },
      { name: 'pays', status: 'failed' },
      { name: 'ships', status: 'failed', attempt: 1 },
      { name: 'ships', attempt: 2 },
    ]);
    const path = `${TEAM}/projects/${project}/tests`;
    const named = async (query: string) =>
      (await rows(path + query)).map((row) => /signs in|pays|ships/.exec(row)?.[0]);
    expect(await named('')).to.have.members(['pays', 'ships']);
    expect(await named('?q=state:flaky')).to.deep.equal(['ships']);
    expect(await named('?q=state:failing')).to.deep.equal(['pays']);
    expect(await named('?q=state:known')).to.deep.equal([]);
    expect(await named('?q=SIGN')).to.deep.equal(['signs in']);
    expect((await rows(`${path}?q=state:flaky`))[0])
      .to.include('1 of the last 2 results')
      .and.include('without a branch');
  });

  it('say of a test how it does in its worst environment, and count and list by the one that is asked for', async () => {
    const project = await givenProject(client);
    for (const [os, status] of [
      ['windows', 'failed'],
      ['linux', 'passed'],
    ])
      await submit(project, [{ name: 'pays', status }], { metadata: { environment: { os } } });
    const path = `${TEAM}/projects/${project}/tests`;
    expect((await rows(path))[0])
      .to.include('failing')
      .and.include('in os=windows');
    expect((await rows(`${path}?q=state:all`))[0]).to.include('failing');
    const [onLinux] = await rows(`${path}?q=environment:os%3Dlinux`);
    expect(onLinux).to.include('pays').and.not.include('failing');
    expect(await rows(`${path}?q=state:failing+environment:os%3Dlinux`)).to.deep.equal([]);
    expect(await rows(`${path}?q=state:failing+environment:os%3Dwindows`)).to.have.length(1);
    const tabs = async (os: string) =>
      /Failing (\d)/.exec(textOf(elementsIn(await shown(`${path}?q=environment:os%3D${os}`))[0]!))?.[1];
    expect([await tabs('windows'), await tabs('linux')]).to.deep.equal(['1', '0']);
  });

  it('keep the environment from one tab of tests to the next', async () => {
    const project = await givenProject(client);
    await submit(project, [{ name: 'pays', status: 'failed', metadata: { environment: { os: 'mac' } } }]);
    const html = await shown(`${TEAM}/projects/${project}/tests?q=environment:os%3Dmac`);
    for (const state of ['any', 'broken', 'flaky', 'failing', 'known', 'all'])
      expect(html.replaceAll('&amp;', '&')).to.include(`/tests?q=state%3A${state}+environment%3Aos%3Dmac`);
  });

  it('list the groups of failures, and lead from each to its runs', async () => {
    const project = await givenProject(client);
    const message = '\u001b[31mTypeError: total\u001b[39m is not a function';
    const failed = { status: 'failed', error_message: message };
    const { run } = await submit(project, [failed, failed]);
    const path = `${TEAM}/projects/${project}/failures`;
    expect((await rows(path))[0])
      .to.include('TypeError: total is not a function')
      .and.not.include('[31m');
    const group = /\/failures\/(group_\w+)/.exec(await shown(path))![1]!;
    const page = await shown(`${path}/${group}`);
    expect(page)
      .to.include(`${TEAM}/runs/${run}`)
      .and.include('grouped by the message')
      .and.not.include('[31m');
    // One line of runs, and green only where a test of the group passed.
    const line = { metadata: { branch: 'main', tool: 'pytest' } };
    await submit(project, [{ name: 'pays' }], line);
    await submit(project, [{ name: 'pays', status: 'failed' }], line);
    await submit(project, [{ name: 'another' }], line);
    await submit(project, [{ name: 'another' }], { metadata: { branch: 'main', tool: 'jest' } });
    const other = /\/failures\/(group_\w+)/.exec(await shown(`${path}?q=branch:main`))![1]!;
    const strip = await shown(`${path}/${other}`);
    const cells = [...strip.matchAll(/<rect class="(\w+)"[^>]*><title>([^<]*)/gu)].map(([, ...cell]) => cell);
    expect(cells).to.deep.equal([
      ['passed', 'passed'],
      ['failed', 'seen'],
      ['absent', 'neither seen nor passed'],
    ]);
    expect(strip).to.include('in 1 of the last 3 runs on main by pytest');
  });

  it('make a project by the form of an admin, and lead to it', async () => {
    const { headers, status } = await server.post(`${TEAM}/projects`, {
      as: 'admin',
      form: { name: 'By a form', description: '', default_branch: 'trunk' },
    });
    expect(status).to.equal(303);
    const { body } = await client.get(`/v1/projects/${headers.location!.split('/').at(-1)!}`);
    expect(body.data).to.include({ name: 'By a form', description: null, default_branch: 'trunk' });
  });

  it('show the form again with what was typed and what is wrong with it', async () => {
    const form = { name: 'x', description: 'kept', default_branch: 'main' };
    const { status, text } = await server.post(`${TEAM}/projects`, { as: 'admin', form });
    expect(status).to.equal(400);
    expect(text).to.include('value="kept"').and.include('aria-invalid="true"');
  });

  it('lead from the short address of a run or result to the team that has it, and nobody else', async () => {
    const project = await givenProject(client);
    const { run, results } = await submit(project, [{}]);
    for (const [short, long] of [
      [`/runs/${run}`, `${TEAM}/runs/${run}`],
      [`/results/${results[0]}`, `${TEAM}/results/${results[0]}`],
      [`/runs/${run}.md`, `${TEAM}/runs/${run}.md`],
      [`/runs/${run}.json`, `${TEAM}/runs/${run}.json`],
      [`/results/${results[0]}.md`, `${TEAM}/results/${results[0]}.md`],
    ] as const) {
      const { status, headers } = await server.get(short, { as: 'viewer' });
      expect([status, headers.location]).to.deep.equal([303, long]);
      expect((await server.get(short)).headers.location).to.equal(
        `/sign-in?next=${encodeURIComponent(short)}`,
      );
    }
    const unknown = `/runs/${run.slice(0, -4)}zzzz`;
    expect((await server.get(unknown, { as: 'viewer' })).status).to.equal(404);
  });

  it('show a new run, and a new project, without a reload', async () => {
    const project = await givenProject(client);
    const runs = await follow(`${server.url}${TEAM}/projects/${project}`);
    const projects = await follow(`${server.url}${TEAM}/projects`);
    await submit(project, [{}], { label: 'It came later' });
    await givenProject(client, { name: 'A later project' });
    await eventually('the new run', async () => runs.text().includes('It came later'));
    await eventually('the new project', async () => projects.text().includes('A later project'));
    runs.close();
    projects.close();
  });
});

/** Reads the stream of a page as its browser does. */
async function follow(url: string) {
  const ending = new AbortController();
  const headers = { accept: 'text/event-stream', cookie: `testledger=${sessionOf('viewer')}` };
  const answer = await fetch(url, { headers, signal: ending.signal });
  let text = '';
  const reading = async () => {
    const decoder = new TextDecoder();
    for await (const chunk of answer.body!) text += decoder.decode(chunk, { stream: true });
  };
  reading().catch(() => undefined);
  return { text: () => text, close: () => ending.abort() };
}

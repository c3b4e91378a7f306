import { expect } from 'chai';
import { OPERATOR_TEAM } from '../../src/commands/teams.js';
import { axisOf } from '../../src/dashboard/parts/chart/chart-axis.js';
import { csvOf } from '../../src/dashboard/pages/insights/tables.js';
import { givenProject, givenSubmission } from '../http/given.js';
import { api, type Api } from '../kit/client.js';
import { OWNER_KEY } from '../kit/environment.js';
import { pageServer } from '../kit/page-server.js';
import { eventually } from '../stores.js';
import { attributeOf, elementsIn, textOf } from './html.js';
import { sizeOf } from './shown-page.js';

const TEAM = `/teams/${OPERATOR_TEAM}`;

describe('the insights', () => {
  const server = pageServer({ BOOTSTRAP_API_KEY: OWNER_KEY });
  const client: Api = api(() => server.url, OWNER_KEY);
  let project: string;
  let path: string;
  const shown = async (at: string) => {
    const { status, text } = await server.get(at, { as: 'viewer' });
    expect(status, text).to.equal(200);
    return text;
  };
  const numbersIn = (html: string) => {
    const [list] = elementsIn(html).filter((each) => attributeOf(each, 'class') === 'numbers panel');
    return textOf(list!).replace(/\s+/g, ' ');
  };

  before(async () => {
    project = await givenProject(client, { name: 'The shop' });
    path = `${TEAM}/projects/${project}/insights`;
    const submit = (daysAgo: number, items: readonly object[]) => {
      const started = Date.now() - daysAgo * 86_400_000 - 60_000;
      const [started_at, finished_at] = [started, started + 60_000].map((ms) => new Date(ms).toISOString());
      const metadata = { branch: 'main', commit: `c${daysAgo}` };
      return givenSubmission(client, project, items, { started_at, finished_at, metadata });
    };
    await submit(10, [{ name: 'pays' }]);
    await submit(1, [
      { name: 'pays', status: 'failed', attempt: 1, duration_ms: 90_000, metadata: { owner: '@shop' } },
      { name: 'pays', attempt: 2, duration_ms: 4_000, metadata: { owner: '@shop' } },
      { name: 'searches, "fast"', status: 'failed', duration_ms: 100 },
    ]);
    await eventually('the statistics have both runs', async () => {
      const { data } = (await client.get(`/v1/projects/${project}/stats`)).body;
      return data.totals.tests === 2;
    });
  });

  it('show the numbers of a window with those of the window before', async () => {
    const numbers = numbersIn(await shown(`${path}?days=7`));
    expect(numbers).to.include('Runs green0.0 % 100 % before');
    expect(numbers).to.include('Tests that ran2 1 before');
    expect(numbers).to.include('Lost time1m 30s 0 ms before');
  });

  it('lead from each number to what is behind it', async () => {
    const html = await shown(path);
    const ids = elementsIn(html).map((each) => attributeOf(each, 'id'));
    const [list] = elementsIn(html).filter((each) => attributeOf(each, 'class') === 'numbers panel');
    const links = elementsIn(html).filter(
      ({ tagName, parentNode }) =>
        tagName === 'a' && (parentNode as { tagName?: string } | null)?.tagName === 'dd',
    );
    expect(textOf(list!).match(/before/g)).to.have.length(links.length);
    for (const link of links) {
      const href = attributeOf(link, 'href')!;
      if (href.startsWith('#')) expect(ids).to.include(href.slice(1));
      else expect(await shown(href)).to.include('The shop');
    }
  });

  it('have a table under each chart, the slowest tests, and lost time by test and owner', async () => {
    const elements = elementsIn(await shown(`${path}?days=7`));
    const tables = elements.filter(({ tagName }) => tagName === 'table').map(textOf);
    const charts = elements.filter((each) => attributeOf(each, 'class') === 'chart');
    expect(charts).to.have.length(7);
    expect(tables.filter((text) => text.startsWith('Day'))).to.have.length(5);
    expect(tables.some((text) => /^TestRunsMedian.*pays1/.test(text))).to.equal(true);
    expect(tables.at(-1)).to.include('@shop').and.include('1m 30s');
  });

  it('are the same as CSV and JSON, and by weeks for 90 days', async () => {
    const csv = await server.get(`${path}?days=7&format=csv`, { as: 'viewer' });
    expect(csv.headers['content-type']).to.match(/^text\/csv/);
    const [head, ...lines] = csv.text.trimEnd().split('\r\n');
    expect(lines).to.have.length(9);
    expect(head).to.match(/^day,runs,/);
    expect(lines.at(-2)).to.match(/^total,1,0,1,/);
    const tests = await shown(`${path}?days=7&format=csv&table=slowest`);
    expect(tests).to.include('"searches, ""fast"""');
    const tables = JSON.parse(await shown(`${path}?days=90&format=json`));
    expect(Object.keys(tables)).to.deep.equal(['days', 'slowest', 'lost', 'owners']);
    expect(tables.days.rows).to.have.length.within(15, 16);
  });

  it('of all projects lead to each of them, and keep the window', async () => {
    const html = await shown(`${TEAM}/insights?days=7&branch=default`);
    expect(html).to.include(`href="${TEAM}/projects"`);
    expect(html).to.include(`/projects/${project}/insights?days=7&amp;branch=default`);
    expect(await shown(`${TEAM}/projects`)).to.include(`${TEAM}/insights`);
  });

  it('of a project with many tests show at once what takes no sorting, and lead to the rest', async () => {
    const large = await givenProject(client, { name: 'A large one' });
    const at = `${TEAM}/projects/${large}/insights`;
    const items = Array.from({ length: 2_501 }, (_, n) => ({
      name: `test ${n}`,
      duration_ms: n === 7 ? 90_000 : 10,
    }));
    await givenSubmission(client, large, items);
    await eventually('the statistics have the run', async () => {
      const { data } = (await client.get(`/v1/projects/${large}/stats`)).body;
      return data.totals.tests === 2_501;
    });
    const part = (html: string) => elementsIn(html).find((each) => attributeOf(each, 'id') === 'costs')!;
    const first = await shown(`${at}?days=7`);
    expect(numbersIn(first)).to.include('Tests that ran2,501');
    expect(textOf(part(first))).not.to.include('Median');
    expect(first).to.include(`href="${at}?days=7&amp;costs=all"`);
    expect(textOf(part(await shown(`${at}?days=7&costs=all`))))
      .to.include('Median')
      .and.match(/Share ?test 7 ?1 run/u);
    expect(await shown(`${at}?format=csv&table=slowest`)).to.include(',test 7,');
  });

  it('have at most 200 rows and 5,000 elements', async () => {
    for (const at of [path, `${path}?days=90`, `${TEAM}/insights`]) {
      const { rows, nodes, bytes } = sizeOf(await shown(at));
      expect(rows).to.be.at.most(200);
      expect(nodes).to.be.at.most(5_000);
      expect(bytes).to.be.at.most(300_000);
    }
  });

  it('leave a cell empty where there is nothing, and write an empty text as one', () => {
    expect(
      csvOf({
        columns: ['a', 'b'],
        rows: [
          [null, ''],
          ['x\ny', 1.5],
        ],
      }),
    ).to.equal('a,b\r\n,""\r\n"x\ny",1.5\r\n');
  });

  it('have axes from zero to a round number', () => {
    expect(axisOf(0)).to.deep.equal([0, 1]);
    expect(axisOf(7)).to.deep.equal([0, 2, 4, 6, 8]);
    expect(axisOf(100)).to.deep.equal([0, 25, 50, 75, 100]);
    expect(axisOf(0.03)).to.deep.equal([0, 0.01, 0.02, 0.03]);
  });
});

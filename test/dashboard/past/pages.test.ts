import { expect } from 'chai';
import { OPERATOR_TEAM } from '../../../src/commands/teams.js';
import { hasMoment, pathsAsOf } from '../../../src/dashboard/past/paths.js';
import { pages } from '../../../src/dashboard/pages.js';
import { testIdOf } from '../../../src/domain/test-history/test.js';
import { givenProject, givenSubmission } from '../../http/given.js';
import { api, type Api } from '../../kit/client.js';
import { OWNER_KEY } from '../../kit/environment.js';
import { pageServer, unescaped } from '../../kit/page-server.js';

const TEAM = `/teams/${OPERATOR_TEAM}`;

describe('pages as of a moment', () => {
  const server = pageServer({ BOOTSTRAP_API_KEY: OWNER_KEY });
  const client: Api = api(() => server.url, OWNER_KEY);
  const open = async (path: string, as = 'owner') => {
    const { status, text } = await server.get(path, { as });
    expect(status, text.slice(0, 2_000)).to.equal(200);
    return text;
  };
  const timeLineOf = (html: string) =>
    [
      ...(/<nav class="time-line.*?<\/nav>/su.exec(html)?.[0] ?? '').matchAll(
        /href="([^"]+)"[^>]*>([^<]+)/gu,
      ),
    ].map(([, href, label]) => ({ href: unescaped(href!), label: label! }));

  /** A run that failed, and whose failure was corrected later. */
  async function givenCorrected() {
    const project = await givenProject(client);
    const items = [{ name: 'pays', status: 'failed', error_message: 'no money' }, { name: 'adds' }];
    const { run, results } = await givenSubmission(client, project, items, { metadata: { branch: 'main' } });
    const { data } = (await client.get(`/v1/test-runs/${run}`)).body;
    while (new Date().toISOString() <= data.created_at) await new Promise((next) => void setImmediate(next));
    await client.post(`/v1/test/result/${results[0]}`, { status: 'Passed' });
    await client.get(`/v1/test-runs/${run}`);
    return { project, run, result: results[0]!, test: testIdOf(project, 'pays') };
  }

  it('are those that say so', () => {
    const marked = pages.filter(({ asOf }) => asOf === true).map(({ path }) => path);
    expect(marked.toSorted()).to.deep.equal([...pathsAsOf].toSorted());
  });

  it('have a time line, whose moments lead to the page as it was', async () => {
    const { run, result, project, test } = await givenCorrected();
    const html = await open(`${TEAM}/runs/${run}`);
    expect(html).not.to.contain('1 failed');
    const moments = timeLineOf(html);
    expect(moments.map(({ label }) => label)).to.include.members(['Completed', 'Now']);
    const completed = moments.find(({ label }) => label === 'Completed')!;
    const then = await open(completed.href);
    expect(then).to.contain('1 failed').and.contain('This page is as of').and.contain('pays');
    const ofResult = timeLineOf(await open(`${TEAM}/results/${result}`));
    expect(ofResult.map(({ label }) => label)).to.deep.equal(['Failed', 'Corrected: passed', 'Now']);
    expect(await open(ofResult[0]!.href)).to.contain('no money');
    await givenSubmission(client, project, [{ name: 'pays', status: 'failed' }], {
      metadata: { branch: 'main' },
    });
    const ofTest = timeLineOf(await open(`${TEAM}/projects/${project}/tests/${test}`));
    expect(ofTest.map(({ label }) => label)).to.include('First failure');
  });

  it('keep the moment on every link to such a page and in searches, and "now" leads out of it', async () => {
    const { run } = await givenCorrected();
    const [{ href }] = timeLineOf(await open(`${TEAM}/runs/${run}`)) as [{ href: string }, ...unknown[]];
    const html = await open(href);
    const links = [...html.matchAll(/<a ([^>]*)href="([^"]+)"/gu)].map(([, before, target]) => ({
      isNow: before!.includes('data-now'),
      url: new URL(unescaped(target!), 'http://page.invalid'),
    }));
    const kept = links.filter(({ isNow, url }) => !isNow && hasMoment(url.pathname));
    expect(kept.length).to.be.above(5);
    for (const { url } of kept) expect(url.searchParams.get('as_of'), url.href).not.to.equal(null);
    for (const { url } of links.filter(({ isNow }) => isNow))
      expect(url.searchParams.has('as_of'), url.href).to.equal(false);
    const results = await open(
      `${TEAM}/runs/${run}/results?as_of=${new URL(href, 'http://x').searchParams.get('as_of')}`,
    );
    expect(results).to.match(/<form [^>]*method="get"[^>]*><input type="hidden" name="as_of"/u);
  });

  it('change nothing: they have no form that is posted, and are not live', async () => {
    const { run, result } = await givenCorrected();
    for (const path of [`${TEAM}/runs/${run}`, `${TEAM}/results/${result}`]) {
      const [{ href }] = timeLineOf(await open(path)) as [{ href: string }, ...unknown[]];
      const main = (await open(href)).replace(/^.*<main/su, '');
      expect(main, path).not.to.match(/<form [^>]*method="post"/iu);
      expect(await open(href)).not.to.contain('data-live="');
    }
  });

  it('say so where the thing was not there yet, or the moment is none', async () => {
    const { run } = await givenCorrected();
    const early = await server.get(`${TEAM}/runs/${run}?as_of=2001-01-01T00:00:00Z`, { as: 'viewer' });
    expect([early.status, early.text.includes('It did not exist yet at that moment')]).to.deep.equal([
      404,
      true,
    ]);
    expect((await server.get(`${TEAM}/runs/${run}?as_of=noon`, { as: 'viewer' })).status).to.equal(400);
  });
});

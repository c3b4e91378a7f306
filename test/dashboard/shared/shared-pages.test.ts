import { expect } from 'chai';
import { OPERATOR_TEAM } from '../../../src/commands/teams.js';
import { sharedPages } from '../../../src/dashboard/shared/pages.js';
import { api, type Api } from '../../kit/client.js';
import { OWNER_KEY } from '../../kit/environment.js';
import { actionsOf, pageServer } from '../../kit/page-server.js';
import { givenArtifact, givenProject, givenSubmission } from '../../http/given.js';

/** Stands in every text of the other runs that could name them. */
const CANARY = 'canary-of-another-run';

describe('the pages of a link to a run', () => {
  const server = pageServer({ BOOTSTRAP_API_KEY: OWNER_KEY });
  let owner: Api;
  let project: string;
  let own: { run: string; results: string[] };
  let others: string[];
  let artifact: string;
  let base: string;
  let shown: { path: string; text: string }[];

  const items = (more: object[] = []) => [
    {
      name: 'pays by card',
      status: 'failed',
      error_message: 'expected 1 to be 2',
      metadata: { tags: ['smoke'] },
    },
    { name: 'adds to the cart', status: 'failed', error_message: 'expected 1 to be 2' },
    { name: 'sees the shop', status: 'passed' },
    ...more,
  ];
  const other = (branch: string) =>
    givenSubmission(owner, project, items([{ name: `${CANARY} of a test`, status: 'passed' }]), {
      label: `${CANARY} label`,
      metadata: { branch, commit: CANARY.replaceAll('-', ''), message: CANARY, actor: CANARY },
    });

  before(async () => {
    owner = api(() => server.url, OWNER_KEY);
    project = await givenProject(owner, { name: 'Shop', description: CANARY });
    const before = await other('main');
    const elsewhere = await other(CANARY);
    const attempts = [
      { name: 'is flaky', status: 'failed', error_message: 'no' },
      { name: 'is flaky', status: 'passed' },
    ];
    own = await givenSubmission(owner, project, items(attempts), {
      label: 'Mine',
      metadata: { branch: 'main', commit: 'c0ffee1' },
    });
    const later = await other('main');
    others = [before, elsewhere, later].flatMap(({ run, results }) => [run, ...results]);
    artifact = (await givenArtifact(owner, own.results[0]!)).artifact_id;
    const { url } = (await owner.post(`/v1/test-runs/${own.run}/links`, {})).body.data;
    base = new URL(url).pathname;
    const group = (await owner.get(`/v1/test-runs/${own.run}/failures`)).body.data[0].group;
    const paths = [
      '',
      '?baseline=run_01h455vb4pex5vsknk084sn02q',
      '/results',
      '/results?q=status:failed+card',
      '/results?page=99',
      '/failures',
      `/failures/${group}`,
      ...own.results.map((id) => `/results/${id}`),
    ];
    shown = await Promise.all(
      paths.map(async (path) => {
        const { status, text } = await server.get(base + path);
        expect(status, path).to.equal(200);
        return { path, text };
      }),
    );
  });

  it('are read in this suite, each of them', () => {
    const patterns = sharedPages.map(({ path }) => new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]+')}$`));
    const read = [...shown.map(({ path }) => base + path), fileOf(own.results[0]!)];
    for (const pattern of patterns)
      expect(
        read.some((path) => pattern.test(path)),
        String(pattern),
      ).to.equal(true);
  });

  it('show the run, its results and their marks', () => {
    const [run, , results, found] = shown.map(({ text }) => text);
    expect(run).to.include('failed').and.include('pays by card').and.include('Compared with an earlier run');
    expect(run).to.include('failed in').and.include('first seen');
    expect(results).to.include('sees the shop').and.include('is flaky');
    expect(found).to.include('pays by card').and.not.include('sees the shop');
    const result = shown.find(({ path }) => path === `/results/${own.results[0]}`)!.text;
    expect(result)
      .to.include('smoke')
      .and.include('expected 1 to be 2')
      .and.include('Failing since')
      .and.include(artifact);
  });

  it('show neither ids nor names nor texts of another run, of the project or of the team', () => {
    for (const { path, text } of shown) {
      for (const id of [...others, project, OPERATOR_TEAM]) expect(text, path).to.not.include(id);
      expect(text.toLowerCase(), path).to.not.include(CANARY).and.not.include(CANARY.replaceAll('-', ''));
    }
  });

  it('lead to each other and to nothing else, and change nothing', () => {
    for (const { path, text } of shown) {
      const addresses = [...text.matchAll(/(?:href|src|action|data-src|data-from)="([^"]*)"/g)].map(
        ([, to]) => to!,
      );
      const away = addresses.filter(
        (to) => !to.startsWith(base) && !to.startsWith('/assets/') && !/^(?:\/|#.*|\?.*|)$/.test(to),
      );
      expect(away, path).to.deep.equal([]);
      expect(actionsOf({ text, status: 200, headers: {} }), path).to.deep.equal([]);
      expect(text, path).to.not.include('data-live=');
    }
  });

  it('are the same for a person who has signed in, and set no cookie', async () => {
    const { text, headers } = await server.get(base + '/results', { as: 'owner' });
    expect(text).to.equal(shown[2]!.text);
    expect(headers['set-cookie']).to.equal(undefined);
  });

  it('are no place for a result or file of another run, or for another page', async () => {
    const foreign = others.filter((id) => id.startsWith('result_'));
    const paths = [...foreign.map((id) => `/results/${id}`), '/compare', '/history', '/links'];
    for (const path of paths) expect((await server.get(base + path)).status, path).to.equal(404);
    expect((await server.get(fileOf(own.results[1]!))).status).to.equal(404);
    expect((await server.get(fileOf(own.results[0]!))).status).to.equal(303);
    expect((await server.post(base, { as: 'owner' })).status).to.equal(405);
  });

  it('leave no token in the log', () => {
    const token = base.split('/').at(-1)!;
    expect(server.lines.join('')).to.include('/shared/…').and.not.include(token);
  });

  const fileOf = (result: string) => `${base}/results/${result}/artifacts/${artifact}`;
});

describe('the pages that share a run or a branch', () => {
  const server = pageServer({ BOOTSTRAP_API_KEY: OWNER_KEY });
  const owner = () => api(() => server.url, OWNER_KEY);
  const cookieOf = (headers: { 'set-cookie'?: string[] | undefined }) =>
    headers['set-cookie']![0]!.split(';')[0]!;
  /** The page after a form, as the browser that sent it sees it. */
  const after = async (path: string, form: Record<string, string>) => {
    const { status, headers } = await server.post(path, { as: 'member', form });
    expect(status).to.equal(303);
    const cookie = `testledger=a-session-of-the-member; ${cookieOf(headers)}`;
    return (await server.get(headers.location!, { as: 'member', headers: { cookie } })).text;
  };

  it('make a link, show it once, list it with its maker and end, and revoke it', async () => {
    const project = await givenProject(owner());
    const { run } = await givenSubmission(owner(), project, [{}]);
    const page = `/teams/${OPERATOR_TEAM}/runs/${run}`;
    expect((await server.get(page, { as: 'member' })).text).to.include(`href="${page}/links"`);
    const once = await after(`${page}/links`, { days: '30' });
    const [, token] = /\/shared\/([\w-]{43})/.exec(once)!;
    expect((await server.get(`/shared/${token}`)).status).to.equal(200);
    const { text } = await server.get(`${page}/links`, { as: 'member' });
    expect(text).to.not.include(token!);
    expect(text).to.include('you').and.to.include('Links <span class="count">1</span>');
    const revoke = actionsOf({ text, status: 200, headers: {} }).find((to) => to.endsWith('/revoke'))!;
    expect((await server.post(revoke, { as: 'member' })).status).to.equal(303);
    expect((await server.get(`/shared/${token}`)).status).to.equal(404);
  });

  it('make a badge as Markdown, show it once, list it, and remove it', async () => {
    const project = await givenProject(owner());
    const settings = `/teams/${OPERATOR_TEAM}/projects/${project}/settings`;
    expect((await server.get(settings, { as: 'member' })).text).to.include(`href="${settings}/badges"`);
    const once = await after(`${settings}/badges`, { branch: 'main' });
    const [, path] = /!\[tests\]\(http:\/\/[^/]+(\/badges\/[\w-]{43}\.svg)\)/.exec(once)!;
    expect((await server.get(path!)).text).to.include('main: no runs');
    const { text } = await server.get(`${settings}/badges`, { as: 'member' });
    expect(text).to.not.include(path!);
    const remove = actionsOf({ text, status: 200, headers: {} }).find((to) => to.endsWith('/remove'))!;
    expect((await server.post(remove, { as: 'member' })).status).to.equal(303);
    expect((await server.get(path!)).status).to.equal(404);
  });

  it('change something for members alone: a viewer sees the links, and no form', async () => {
    const project = await givenProject(owner());
    const { run } = await givenSubmission(owner(), project, [{}]);
    await owner().post(`/v1/test-runs/${run}/links`, {});
    const links = `/teams/${OPERATOR_TEAM}/runs/${run}/links`;
    const settings = `/teams/${OPERATOR_TEAM}/projects/${project}/settings`;
    const { text } = await server.get(links, { as: 'viewer' });
    expect(text).to.include('an API key');
    expect(actionsOf({ text, status: 200, headers: {} }).filter((to) => to.startsWith(links))).to.deep.equal(
      [],
    );
    expect((await server.get(`${settings}/badges`, { as: 'viewer' })).status).to.equal(403);
    expect((await server.get(settings, { as: 'viewer' })).text).to.not.include(`${settings}/badges`);
    for (const path of [
      links,
      `${settings}/badges`,
      `${links}/link_1/revoke`,
      `${settings}/badges/badge_1/remove`,
    ])
      expect((await server.post(path, { as: 'viewer', form: { branch: 'main' } })).status).to.equal(403);
  });
});

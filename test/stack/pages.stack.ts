/** The pages and the people on shared stores: what one node does, the other knows. */
import { expect } from 'chai';
import { currentPage, fetchedPage, givenProject, givenSubmission } from '../http/given.js';
import { servers, until, type RunningServer } from '../kit/process.js';
import { emptyStores, type StoreUrls } from '../kit/store-urls.js';

describe('the pages of two nodes on the same servers', function () {
  let stores: StoreUrls;
  before(() => (stores = emptyStores()));
  const given = servers(() => stores, 'each suite');

  let nodes: [RunningServer, RunningServer];
  let team = '';
  /** The owner, who has used the link of the one node at the other. */
  const olga = visitor();
  before(async () => {
    nodes = [await given.start(), await given.start()];
    team = `/teams/${(await nodes[0].owner.get('/v1/me')).body.data.team.id}`;
    const link = () => /\/first-start\/[\w-]{43}/.exec(nodes[0].stderr())?.[0];
    await until('the link to be shown', () => link() !== undefined);
    const { status } = await olga.post(nodes[1].url + link()!, accountOf('Olga'));
    expect(status).to.equal(303);
  });

  /** The path of a new invitation, as it is shown once. */
  async function invited(by: Visitor, node: RunningServer, role: string): Promise<string> {
    const { text } = await by.post(`${node.url}${team}/team/invitations`, { role });
    return /\/invitations\/[\w-]{43}/.exec(text)![0];
  }

  const showsTeam = async (person: Visitor, node: RunningServer) =>
    (await person.get(node.url + team)).status === 200;

  it('open a link to a run that the other has made, and not once the other has revoked it, at once', async () => {
    const [one, other] = nodes;
    const project = await givenProject(one.owner);
    const { run } = await givenSubmission(one.owner, project, [{}], { label: 'The shared run' });
    for (const node of nodes) await node.caughtUp();
    const path = `/v1/test-runs/${run}/links`;
    for (let n = 0; n < 10; n += 1) {
      const { data } = (await one.owner.post(path, {})).body;
      const url = other.url + new URL(data.url).pathname;
      expect((await currentPage(url)).text).to.include('The shared run');
      expect((await one.owner.delete(`${path}/${data.id}`)).status).to.equal(204);
      expect((await currentPage(url)).status).to.equal(404);
    }
  });

  it('show one run on every page, on both', async () => {
    const { owner } = nodes[0];
    const project = await givenProject(owner, { name: 'Shop' });
    const items = [
      { name: 'buys a shoe', status: 'failed', error_message: 'no shoe in the basket' },
      { name: 'sells a shoe', status: 'passed' },
    ];
    const { run, results } = await givenSubmission(owner, project, items, { metadata: { branch: 'main' } });
    for (const node of nodes) await node.caughtUp();
    const { body: tests } = await owner.get(`/v1/projects/${project}/tests`);
    const test = tests.data.find(({ name }: { name: string }) => name === 'buys a shoe').id;
    const shown: Record<string, string> = {
      '': 'Shop',
      [`/projects/${project}`]: 'main',
      [`/projects/${project}/tests`]: 'buys a shoe',
      [`/projects/${project}/failures`]: 'no shoe in the basket',
      [`/projects/${project}/tests/${test}`]: 'buys a shoe',
      [`/runs/${run}`]: 'no shoe in the basket',
      [`/runs/${run}/results`]: 'sells a shoe',
      [`/runs/${run}/history`]: 'completed',
      [`/results/${results[0]}`]: 'no shoe in the basket',
      [`/results/${results[0]}/history`]: 'failed',
      '/team': 'Olga',
      '/team/keys': 'Create the key',
      '/team/webhooks': 'ebhook',
      '/team/uploads': 'pload',
      '/operations': 'history',
    };
    for (const node of nodes) {
      for (const [path, text] of Object.entries(shown)) {
        const page = await olga.get(node.url + team + path);
        expect(page.status, path).to.equal(200);
        expect(page.text, path).to.include(text);
      }
    }
  });

  it('know a session and a member of the other, and end both when the member is removed or signs out', async () => {
    const mia = visitor();
    const link = await invited(olga, nodes[0], 'member');
    expect((await mia.post(nodes[1].url + link, accountOf('Mia'))).status).to.equal(303);
    for (const node of nodes) await until('Mia to be a member', () => showsTeam(mia, node));

    const { text } = await olga.get(`${nodes[0].url}${team}/team`);
    const removals = [...text.matchAll(/href="([^"]+\/members\/[^"]+\/remove)"/g)].map(([, path]) => path);
    expect(removals).to.have.length(1);
    await olga.post(nodes[0].url + removals[0]!, {});
    for (const node of nodes) {
      await until('Mia to be out', async () => !(await showsTeam(mia, node)));
      expect((await mia.get(node.url + team)).location).to.include('/sign-in');
    }

    expect(await showsTeam(olga, nodes[1])).to.equal(true);
    await olga.post(`${nodes[0].url}/sign-out`, {});
    for (const node of nodes) expect(await showsTeam(olga, node)).to.equal(false);
    const { email, password } = accountOf('Olga');
    expect((await olga.post(`${nodes[1].url}/sign-in`, { email, password })).status).to.equal(303);
    for (const node of nodes) expect(await showsTeam(olga, node)).to.equal(true);
  });
});

type Seen = { status: number; location: string; text: string };

type Visitor = {
  get(url: string): Promise<Seen>;
  /** Sends a form, with the token that the pages of the session have. */
  post(url: string, form: Record<string, string>): Promise<Seen>;
};

/** A browser without scripts: it keeps the cookie and the token of the forms, and follows no redirect. */
function visitor(): Visitor {
  let [cookie, token] = ['', ''];

  async function ask(url: string, init: RequestInit): Promise<Seen> {
    const sent = { cookie, origin: new URL(url).origin, accept: 'text/html' };
    const fetched = init.method === undefined ? currentPage : fetchedPage;
    const { status, headers, text } = await fetched(url, { ...init, headers: sent, redirect: 'manual' });
    const set = headers.getSetCookie()[0]?.split(';')[0];
    if (set !== undefined) [cookie, token] = [set, ''];
    token = /name="csrf" value="([^"]+)"/.exec(text)?.[1] ?? token;
    return { status, location: headers.get('location') ?? '', text };
  }

  return {
    get: (url) => ask(url, {}),
    async post(url, form) {
      // Any page of the session has the token, also one that says that a link works no more.
      if (token === '' && cookie !== '') await ask(new URL('/invitations/none', url).href, {});
      return ask(url, { method: 'POST', body: new URLSearchParams({ ...form, csrf: token }) });
    },
  };
}

function accountOf(name: string) {
  return { name, email: `${name.toLowerCase()}@example.org`, password: `the password of ${name}` };
}

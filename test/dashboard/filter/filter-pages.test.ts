import { expect } from 'chai';
import { OPERATOR_TEAM } from '../../../src/commands/teams.js';
import { givenProject, givenSubmission } from '../../http/given.js';
import { api, type Api } from '../../kit/client.js';
import { OWNER_KEY } from '../../kit/environment.js';
import { pageServer, unescaped } from '../../kit/page-server.js';
import { attributeOf, elementsIn, intruders, textOf } from '../html.js';
import { hostileTexts } from '../results/hostile-texts.js';

const TEAM = `/teams/${OPERATOR_TEAM}`;

describe('the filter of lists, on pages', () => {
  const server = pageServer({ BOOTSTRAP_API_KEY: OWNER_KEY });
  const client: Api = api(() => server.url, OWNER_KEY);
  let project = '';
  let run = '';
  before(async () => {
    project = await givenProject(client);
    const item = (name: string, status: string, metadata: object) => ({
      name,
      status,
      duration_ms: name.length,
      metadata,
      ...(status === 'failed' && { error_message: `TypeError: ${name} is not a function` }),
    });
    const of = (branch: string, tool: string, actor: string) => ({ metadata: { branch, tool, actor } });
    await givenSubmission(
      client,
      project,
      [item('pays by card', 'passed', { owner: '@shop', tags: ['slow'] })],
      of('wallet', 'jest', 'grace'),
    );
    ({ run } = await givenSubmission(
      client,
      project,
      [
        item('pays by card', 'passed', { owner: '@shop', tags: ['slow'] }),
        item('ships', 'failed', { owner: '@shop', tags: ['fast'] }),
        item('counts the stock', 'failed', { owner: '@stock' }),
        item('signs in', 'skipped', {}),
      ],
      of('main', 'pytest', 'ada'),
    ));
  });

  const path = () => `${TEAM}/projects/${project}`;
  const shown = async (path: string) => {
    const { status, text } = await server.get(path, { as: 'viewer' });
    expect(status, text).to.equal(200);
    return text;
  };
  const rowsOf = (html: string) =>
    elementsIn(html)
      .filter((element) => element.tagName === 'tr' && attributeOf(element, 'data-row') !== null)
      .map((row) => textOf(row).replace(/\s+/g, ' '));
  const named = async (list: string, q: string, more = '') => {
    const html = await shown(`${list}?q=${encodeURIComponent(q)}${more}`);
    return rowsOf(html).map((row) => /pays by card|ships|counts the stock|signs in/.exec(row)?.[0]);
  };

  it('selects runs by tool, actor and age too, and says how far it looks', async () => {
    const branches = async (q: string) =>
      rowsOf(await shown(`${path()}?q=${encodeURIComponent(q)}`)).map((row) => /main|wallet/.exec(row)?.[0]);
    expect(await branches('tool:jest')).to.deep.equal(['wallet']);
    expect(await branches('actor:ada age:24h')).to.deep.equal(['main']);
    expect(await branches('ada main')).to.deep.equal(['main']);
    expect(await branches('main ada')).to.deep.equal(['main']);
    expect(await shown(`${path()}?q=tool:jest`)).to.include('looks through the newest');
    expect(await shown(`${path()}?q=branch:main`)).not.to.include('looks through');
  });

  it('selects tests by state together with owner, tags and a part of the name', async () => {
    const list = `${path()}/tests`;
    expect(await named(list, 'state:failing')).to.have.members(['ships', 'counts the stock']);
    expect(await named(list, 'state:failing owner:@shop')).to.deep.equal(['ships']);
    expect(await named(list, 'state:all -tag:slow')).to.deep.equal(['counts the stock', 'ships', 'signs in']);
    expect(await named(list, 'by card')).to.deep.equal(['pays by card']);
    expect(await named(list, 'state:failing -tag:fast')).to.deep.equal(['counts the stock']);
  });

  it('selects causes by words, and results by owner and tags', async () => {
    expect(rowsOf(await shown(`${path()}/failures?q=ships+typeerror`))).to.have.length(1);
    expect(await shown(`${path()}/failures?q=nowhere`)).to.include('No cause matches.');
    const list = `${TEAM}/runs/${run}/results`;
    expect(await named(list, 'status:failed owner:@shop')).to.deep.equal(['ships']);
    expect(await named(list, '-tag:slow owner:@shop')).to.deep.equal(['ships']);
    expect(await named(list, 'tag:slow')).to.deep.equal(['pays by card']);
  });

  it('selects projects by words of their names and descriptions, and by status', async () => {
    const named = async (q: string) =>
      rowsOf(await shown(`${TEAM}/projects?q=${encodeURIComponent(q)}`)).map(
        (row) => /Payments|Stock/.exec(row)?.[0] ?? 'another',
      );
    await client.post('/v1/projects', { name: 'Payments', description: 'Cards and vouchers' });
    const { body } = await client.post('/v1/projects', { name: 'Stock' });
    await client.patch(`/v1/projects/${body.data.id}`, { status: 'inactive' });
    expect(await named('vouchers payments')).to.deep.equal(['Payments']);
    expect(await named('status:active stock')).to.deep.equal([]);
    expect(await named('status:inactive')).to.deep.equal(['Stock']);
    expect(await named('')).to.deep.equal(['another', 'Payments']);
    expect(await shown(`${TEAM}/projects?q=nowhere`)).to.include('No project matches.');
    const both = await shown(`${TEAM}/projects?q=stock`);
    expect(both).to.include('1 inactive project').and.include('No project matches.');
  });

  it('selects deliveries of a webhook by their state', async () => {
    const hook = { url: 'https://hooks.example/a', events: ['*'] };
    const { id } = (await client.post('/v1/webhooks', hook)).body.data;
    const list = `${TEAM}/team/webhooks/${id}`;
    const { status, headers } = await server.get(`${list}?state=exhausted`, { as: 'admin' });
    expect([status, headers.location]).to.deep.equal([303, `${list}?q=state%3Aexhausted`]);
    const { text } = await server.get(`${list}?q=state:exhausted`, { as: 'admin' });
    expect(text).to.include('Remove state:exhausted').and.include('No delivery is in this state.');
  });

  it('shows each term that it understood with a link that takes it away', async () => {
    const html = await shown(
      `${path()}?q=${encodeURIComponent('branch:main status:failed')}&sort=age&order=asc`,
    );
    const chips = elementsIn(html).filter((each) => attributeOf(each, 'aria-label')?.startsWith('Remove '));
    expect(chips.map((each) => attributeOf(each, 'aria-label'))).to.deep.equal([
      'Remove branch:main',
      'Remove status:failed',
    ]);
    expect(attributeOf(chips[0]!, 'href')).to.equal(`${path()}?q=status%3Afailed&sort=age&order=asc`);
  });

  it('says plainly what it did not understand, and shows the list without it', async () => {
    const html = await shown(`${path()}?q=${encodeURIComponent('stauts:failed branch:main')}`);
    expect(unescaped(html)).to.match(/Left out: .*stauts:failed.*because there is no such field here/);
    expect(rowsOf(html)).to.have.length(1);
  });

  it('offers values that rows have, as buttons that work without scripts', async () => {
    const buttons = elementsIn(await shown(`${path()}?q=branch:main`))
      .filter((each) => attributeOf(each, 'name') === 'add')
      .map((each) => attributeOf(each, 'value'));
    expect(buttons).to.include.members([
      'status:failed',
      'branch:wallet',
      'tool:jest',
      'actor:ada',
      'age:7d',
    ]);
    const added = await server.get(`${path()}?q=branch%3Amain+&add=status%3Afailed`, { as: 'viewer' });
    expect([added.status, added.headers.location]).to.deep.equal([
      303,
      `${path()}?q=branch%3Amain+status%3Afailed`,
    ]);
  });

  it('leads from fields as parameters to the one form of the list', async () => {
    for (const [other, one] of [
      [`${path()}?branch=main`, `${path()}?q=branch%3Amain`],
      [`${path()}/tests?state=flaky&owner=a+b`, `${path()}/tests?q=state%3Aflaky+owner%3A%22a+b%22`],
      [`${path()}/failures?state=open`, `${path()}/failures?q=state%3Aopen`],
      [`${TEAM}/runs/${run}/results?status=failed`, `${TEAM}/runs/${run}/results?q=status%3Afailed`],
    ] as const) {
      const { status, headers } = await server.get(other, { as: 'viewer' });
      expect([status, headers.location]).to.deep.equal([303, one]);
    }
  });

  it('sorts by a link in the head of a column, which says how the list is sorted', async () => {
    const headsIn = (html: string) =>
      elementsIn(html)
        .filter((each) => each.tagName === 'th' && attributeOf(each, 'aria-sort') !== null)
        .map((each) => `${textOf(each).replace(/\W+$/, '')} ${attributeOf(each, 'aria-sort')}`);
    const list = `${TEAM}/runs/${run}/results`;
    expect(headsIn(await shown(list))).to.deep.equal(['Status ascending']);
    expect(await named(list, '')).to.deep.equal(['ships', 'counts the stock', 'signs in', 'pays by card']);
    const longest = '&sort=duration&order=desc';
    expect(await named(list, '', longest)).to.deep.equal([
      'counts the stock',
      'pays by card',
      'signs in',
      'ships',
    ]);
    expect(headsIn(await shown(`${list}?sort=duration&order=desc`))).to.deep.equal(['Duration descending']);
    const oldest = rowsOf(await shown(`${path()}?sort=age&order=asc`));
    expect(oldest.map((row) => /main|wallet/.exec(row)?.[0])).to.deep.equal(['wallet', 'main']);
    expect(await named(`${path()}/tests`, 'state:all', '&sort=name&order=desc')).to.deep.equal([
      'signs in',
      'ships',
      'pays by card',
      'counts the stock',
    ]);
    expect(headsIn(await shown(`${path()}/failures?sort=last_seen`))).to.deep.equal(['Last seen descending']);
  });

  it('takes any text as a filter: no list fails, none lets it out of its place, and each stays within its bounds', async () => {
    const texts = [
      ...hostileTexts.map(({ text }) => text),
      '"'.repeat(9_000),
      '‮'.repeat(3_000),
      'a:b '.repeat(2_000),
    ];
    for (const list of [path(), `${path()}/tests`, `${path()}/failures`, `${TEAM}/runs/${run}/results`])
      for (const text of texts) {
        const q = encodeURIComponent(text.toWellFormed())
          .slice(0, 12_000)
          .replace(/%\w?$/, '')
          .replace(/(%\w\w)+$/, '');
        const html = await shown(`${list}?q=${q}`);
        expect(intruders(html)).to.deep.equal([]);
        expect(Buffer.byteLength(html)).to.be.lessThan(300_000);
      }
  });
});

import { expect } from 'chai';
import { givenInactive, givenProject, givenSubmission, givenTeam } from '../http/given.js';
import { testServer } from '../kit/server.js';
import { attributeOf, elementsIn, linksIn, textIn, textOf } from './html.js';
import { apiOf, openPage, type Opening } from './open-page.js';

const refused = { status: 'failed', error_message: 'connection refused' };

describe('the page of a cause', () => {
  const server = testServer();
  const team = givenTeam(server, 'each suite');
  let project: string;
  let path: string;
  beforeEach(async () => {
    project = await givenProject(team.owner, { name: 'Web shop' });
    const items = [
      { name: 'pays', ...refused },
      { name: 'refunds', ...refused },
    ];
    const metadata = { branch: 'main', commit: 'abc', environment: { os: 'linux' } };
    await givenSubmission(team.owner, project, items, { metadata });
    const { body } = await team.owner.get(`/v1/projects/${project}/failures`);
    path = `/projects/${project}/failures/${body.data[0].group}`;
  });

  const open = (at: string, more: Partial<Opening> = {}) =>
    openPage(`/teams/${team.id}${at}`, { api: apiOf(team.owner), team: team.id, role: 'member', ...more });
  const send = (form: Record<string, string>, below = '') => open(`${path}${below}`, { form });
  const shown = async (role: Opening['role'] = 'member') => (await open(path, { role })).html;
  const actionsIn = (html: string) =>
    elementsIn(html).flatMap((element) => attributeOf(element, 'action') ?? []);

  it('says in words how the cause stands, and shows its days, tests, branches, environments and first bad commit', async () => {
    const html = await shown();
    const text = textIn(html, 'body');
    expect(text).to.match(/open since .*It is fixed by itself if runs do not see it until/s);
    expect(text).to.contain('Seen in 1 run of the last 30 days');
    expect(text).to.match(/First bad commit of this row: .*abc/s);
    for (const name of ['pays', 'refunds', 'main', 'os=linux'])
      expect(textIn(html, 'table')).to.contain(name);
    expect(linksIn(html)).to.include(`/teams/${team.id}/projects/${project}/failures?q=branch%3Amain`);
  });

  it('takes what a member says: fixed and open, owner, note and ticket', async () => {
    const { reply } = await send({ state: 'fixed' });
    expect(reply).to.deep.equal({ redirect: `/teams/${team.id}${path}` });
    expect(textIn(await shown(), 'body')).to.match(/fixed as .* said/);
    await send({ state: 'open' });
    await send({ owner: 'Mia', note: 'See the log.\r\nOf the bank.', ticket: 'https://tickets.example/7' });
    const html = await shown();
    expect(textIn(html, 'body')).to.match(/open since .*, as .* said/s);
    expect(textIn(html, 'body')).to.contain('See the log.\nOf the bank.');
    expect(linksIn(html)).to.include('https://tickets.example/7');
    const { data } = (await team.owner.get(`/v1${path}`)).body;
    expect(data).to.deep.include({ named_owner: 'Mia', note: 'See the log.\nOf the bank.' });
    await send({ owner: '', note: '', ticket: '' });
    expect((await team.owner.get(`/v1${path}`)).body.data).to.deep.include({ owner: null, note: null });
  });

  it('tells its history: what runs and people did, with the run, and links of notes', async () => {
    await send({ owner: 'Mia', note: 'See https://log.example/1', ticket: '' });
    await send({ for: '7', reason: '<b>the bank</b>' }, '/known-failure');
    const html = await shown();
    const list = elementsIn(html).find((each) => attributeOf(each, 'class') === 'history cause-history')!;
    expect(textOf(list)).to.match(
      /marked its tests as known until [-\d]{10}: <b>the bank<\/b>.*named "Mia" as the owner and wrote the note.*It was seen for the first time\. the run/s,
    );
    expect(linksIn(html)).to.include('https://log.example/1');
    // More than a few are shown by request, and never more than a hundred.
    for (let n = 0; n < 12; n += 1) await send({ owner: `Owner ${n}`, note: '', ticket: '' });
    const entries = async (query: string) => {
      const page = (await open(`${path}${query}`)).html;
      return elementsIn(page).filter((each) => /^is-|^$/.test(attributeOf(each, 'class') ?? '-')).length;
    };
    expect(await entries('')).to.equal(10);
    expect(await entries('?history=all')).to.be.within(14, 15);
  });

  it('marks all tests as known, says until when and why, and ends that', async () => {
    await send({ for: '7', reason: 'the-bank-is-down' }, '/known-failure');
    const html = await shown();
    expect(textIn(html, 'body')).to.match(/known until .*: the-bank-is-down/s);
    expect(textIn(html, 'table').match(/known/g)).to.have.length.at.least(2);
    expect(actionsIn(html)).to.include(`/teams/${team.id}${path}/known-failure/end`);
    await send({}, '/known-failure/end');
    const after = textIn(await shown(), 'body');
    expect(after)
      .to.match(/open since/)
      .and.not.to.contain('are known through it');
    expect(after).to.match(/ended the known failures of its tests\./);
  });

  it('shows a form that is refused again, with what was sent and what is wrong', async () => {
    for (const [form, below, words] of [
      [{ owner: 'Mia', ticket: 'javascript:alert(1)', note: '' }, '', 'Give the ticket as an address'],
      [{ owner: 'x'.repeat(300), ticket: '', note: '' }, '', 'Give an owner of up to'],
      [{ for: '7', reason: ' ' }, '/known-failure', 'Give a reason'],
      [{ for: 'date', until: '', reason: 'kept-reason' }, '/known-failure', 'Choose a day'],
    ] as const) {
      const { html, reply } = await send(form, below);
      expect((reply as { status?: number }).status).to.equal(400);
      expect(textIn(html, 'body')).to.contain(words);
      for (const sent of Object.values(form).filter((each) => each.trim().length > 4))
        expect(html).to.contain(sent.slice(0, 200));
    }
  });

  it('has no form for a viewer, and none in an inactive project', async () => {
    const own = (html: string) => actionsIn(html).filter((action) => action.includes('/failures/'));
    expect(own(await shown())).to.have.length.above(2);
    expect(own(await shown('viewer'))).to.deep.equal([]);
    await givenInactive(team.owner, project);
    expect(own(await shown())).to.deep.equal([]);
  });

  it('is found in the list of failures by its state and owner', async () => {
    await send({ owner: 'Mia', note: '', ticket: '' });
    const list = async (query: string) =>
      textIn((await open(`/projects/${project}/failures${query}`)).html, 'body');
    expect(await list('')).to.match(/connection refused.*open.*Mia/s);
    expect(await list('?q=state:open+owner:Mia')).to.contain('connection refused');
    expect(await list('?q=state:fixed')).to.contain('No cause matches.');
    expect(await list('?q=owner:nobody')).to.contain('No cause matches.');
  });
});

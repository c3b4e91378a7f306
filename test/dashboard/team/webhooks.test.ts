import { subscribableTypes } from '../../../src/domain/messages/message-types.js';
import { expect } from 'chai';
import { OPERATOR_TEAM } from '../../../src/commands/teams.js';
import { sessionOf } from '../../kit/fake-people.js';
import { testLoopback } from '../../kit/loopback.js';
import { eventually } from '../../stores.js';
import { actionsOf, pageServer, type Shown } from '../../kit/page-server.js';

const list = `/teams/${OPERATOR_TEAM}/team/webhooks`;

describe('the pages of webhooks', () => {
  const server = pageServer({ WEBHOOK_ALLOW: '127.0.0.0/8' });
  const as = 'admin';
  let status = 200;
  let page = '';
  let secret = '';
  const secretIn = ({ text }: Shown) => /data-text="(whsec_[^"]*)"/.exec(text)?.[1];
  const get = async (more = '') => (await server.get(page + more, { as })).text;

  const endpoint = testLoopback((_, answer) => {
    answer.writeHead(status).end(status === 200 ? 'thanks' : '<b>no</b> room');
  });
  beforeEach(() => (status = 200));

  it('say which field of a new webhook is wrong, and keep what was typed', async () => {
    const form = { url: 'http://10.0.0.1/hook', events: ['test.flaky'] };
    const { status, text } = await server.post(list, { as, form });
    expect(status).to.equal(400);
    expect(text).to.include('class="field-error"').and.include('value="http://10.0.0.1/hook"');
    expect(text)
      .to.match(/value="test.flaky" checked/)
      .and.not.match(/value="test.failed" checked/);
    const none = await server.post(list, { as, form: { url: 'https://example.org/hook' } });
    expect(none.text).to.include('Choose at least one event.');
  });

  it('save the filter that a form names, show it in words, and keep it in the form', async () => {
    const url = 'https://example.org/filtered';
    const events = ['test.failed'];
    await server.post(list, { as, form: { url, events, branches: 'main\r\n release/* ', only_new: 'on' } });
    const { text } = await server.get(list, { as });
    expect(text).to.include('main, release/* · no known failures · only new failures');
    const own = new RegExp(`href="([^"]*/webhooks/webhook_[^"]*)"[^>]*>\\s*${url}`).exec(text)![1]!;
    const shown = await server.get(own, { as });
    expect(shown.text).to.include('main\nrelease/*</textarea>');
    await server.post(`${own}/change`, { as, form: { url, events, known: 'on', per: 'run' } });
    const after = (await server.get(own, { as })).text;
    expect(after).to.not.include('only new failures');
    expect(after).to.match(/<option value="run" selected/);
    await server.post(`${own}/delete`, { as });
  });

  it('show what a webhook would have sent before it is saved, and keep what was typed', async () => {
    const form = { url: 'https://example.org/tried', events: ['*'], per: 'group', owners: 'search' };
    const shown = await server.post(`${list}/preview`, { as, form });
    expect(shown.status).to.equal(200);
    expect(shown.text).to.match(/it would have sent <strong>\d+ messages?<\/strong>/);
    expect(shown.text).to.include('value="https://example.org/tried"').and.include('search</textarea>');
    expect(shown.text).to.match(/<option value="group" selected/);
    const wrong = await server.post(`${list}/preview`, { as, form: { ...form, url: 'http://10.0.0.1/x' } });
    expect(wrong.status).to.equal(400);
    expect(wrong.text).to.include('class="field-error"');
    expect((await server.get(`${list}/preview`, { as })).headers.location).to.equal(list);
    expect((await server.get(list, { as })).text).to.not.include('https://example.org/tried');
  });

  it('ask for the format of a chat at its host, and hint at it where the host has other services', async () => {
    const fields = { events: ['*'], format: 'standard' };
    const slack = { ...fields, url: 'https://hooks.slack.com/services/T0/B0/x' };
    const refused = await server.post(list, { as, form: slack });
    expect(refused.status).to.equal(400);
    expect(refused.text).to.include('It must be slack: this URL is of Slack, which takes nothing else.');
    const flow = { ...fields, url: 'https://prod-1.westeurope.logic.azure.com/workflows/1' };
    const hinted = await server.post(`${list}/preview`, { as, form: flow });
    expect(hinted.text).to.include('looks like one of Microsoft Teams');
  });

  it('show the secret of a new webhook once, beside the list with the webhook', async () => {
    const url = `${endpoint.url}/hook`;
    const events = subscribableTypes;
    const posted = await server.post(list, { as, form: { url, events } });
    expect([posted.status, posted.headers.location]).to.deep.equal([303, list]);
    const [kept] = posted.headers['set-cookie']![0]!.split(';');
    const withCookie = (of: string) => ({ cookie: `testledger=${sessionOf(of)}; ${kept}` });
    expect(secretIn(await server.get(list, { as: 'owner', headers: withCookie('owner') }))).to.equal(
      undefined,
    );
    const made = await server.get(list, { as, headers: withCookie(as) });
    expect(made.headers['set-cookie']![0]).to.match(/^testledger-once=; .*Max-Age=0/);
    secret = secretIn(made)!;
    expect(secret).to.match(/^whsec_/);
    page = /href="([^"]*\/webhooks\/webhook_[^"]*)"/.exec(made.text)![1]!;
    const { text } = await server.get(list, { as });
    expect(text).to.include(page).and.include(url).and.include('all events').and.not.include(secret);
  });

  it('show each attempt with its status, duration and answer as text', async () => {
    status = 500;
    const { headers } = await server.post(`${page}/ping`, { as });
    expect(headers.location).to.equal(`${page}?done=ping`);
    expect(await get('?done=ping')).to.include('A ping is on its way');
    expect(await get('?done=constructor')).to.not.include('class="notice');
    let opened = '';
    await eventually('an attempt', async () => {
      opened = /href="([^"]*delivery=[^"]*)"/.exec(await get())?.[1] ?? page;
      return (await get(opened.slice(page.length))).includes('Attempt 1');
    });
    const text = await get(opened.slice(page.length));
    expect(text).to.match(/Attempt 1 · 500 in \d+ ms/);
    expect(text).to.include('&lt;b>no&lt;/b> room').and.include('· pending');
  });

  it('show what happens while they are open, and send no form and no token to all who have them open', async () => {
    const one = await server.follow(page, { as });
    const all = await server.follow(list, { as });
    await eventually('the first rendering', () => [one, all].every(({ text }) => text.includes('<time')));
    await server.post(`${page}/ping`, { as });
    const deliveries = (text: string) => /Deliveries <span class=\\"count\\">2</.test(text);
    await eventually('the delivery in the list', () => deliveries(one.text));
    await eventually('the last delivery of the webhook', () => all.text.includes('200, '));
    const opened = /href="[^"]*(\?delivery=[^"]*)"/.exec(await get())![1]!;
    const attempts = await server.follow(page + opened, { as });
    await eventually('its attempts', () => attempts.text.includes('Attempt 1'));
    for (const { text } of [one, all, attempts]) expect(text).to.not.match(/<form|csrf|token-of/);
  });

  it('send a delivery again', async () => {
    const opened = /href="[^"]*(\?delivery=[^"]*)"/.exec(await get())![1]!;
    const resend = actionsOf({ status: 200, headers: {}, text: await get(opened) }).find((each) =>
      each.endsWith('/resend'),
    )!;
    const { headers } = await server.post(resend, { as });
    expect(headers.location).to.include(`${page}?done=resend&delivery=`);
    await eventually('the delivery', async () => (await get('?q=state:delivered')).includes('✓ delivered'));
    expect(await get('?q=state:exhausted')).to.include('No delivery is in this state.');
  });

  it('make a new secret, shown once', async () => {
    const answer = await server.post(`${page}/rotate-secret`, { as });
    expect(secretIn(answer))
      .to.match(/^whsec_/)
      .and.not.equal(secret);
    const { headers } = await server.get(`${page}/rotate-secret`, { as });
    expect(headers.location).to.equal(page);
  });

  it('change the URL and the events', async () => {
    const form = { url: 'https://example.org/other', events: ['run.completed'] };
    expect((await server.post(`${page}/change`, { as, form })).status).to.equal(303);
    const text = await get();
    expect(text).to.include('https://example.org/other').and.include('run.completed');
    const bad = await server.post(`${page}/change`, { as, form: { ...form, url: 'ftp://x' } });
    expect(bad.status).to.equal(400);
    expect(bad.text).to.include('class="field-error"');
  });

  it('name the projects of which a webhook gets messages, and give back all of them', async () => {
    const made = await server.post(`/teams/${OPERATOR_TEAM}/projects`, { as, form: { name: 'Hooked' } });
    const project = /\/projects\/(project_\w+)/.exec(made.headers.location!)![1]!;
    const form = { url: 'https://example.org/other', events: ['run.completed'] };
    await eventually('the project in the form', async () => (await get()).includes(`value="${project}"`));
    expect(await get()).to.include('all projects');
    const saved = await server.post(`${page}/change`, { as, form: { ...form, projects: [project] } });
    expect(saved.status).to.equal(303);
    expect(await get())
      .to.include('only Hooked')
      .and.match(new RegExp(`value="${project}" selected`));
    expect((await server.get(list, { as })).text).to.include('only Hooked');
    const unknown = 'project_00000000000000000000000000';
    const refused = await server.post(`${page}/change`, { as, form: { ...form, projects: [unknown] } });
    expect(refused.status).to.equal(404);
    expect(refused.text).to.include('role="alert"');
    await server.post(`${page}/change`, { as, form });
    expect(await get()).to.include('all projects');
  });

  it('send what was missed since an instant', async () => {
    const { headers } = await server.post(`${page}/recover`, { as, form: { since: '2026-01-02T03:04' } });
    expect(headers.location).to.match(/\?done=recover&count=\d+$/);
    const bad = await server.post(`${page}/recover`, { as, form: { since: 'yesterday' } });
    expect(bad.status).to.equal(400);
    expect(bad.text).to.match(/role="alert">It must be [^<]+</);
  });

  it('switch a webhook off and on, and refuse a ping while it is off', async () => {
    await server.post(`${page}/disable`, { as });
    expect(await get())
      .to.include('switched off')
      .and.include('Switch on')
      .and.not.include('Send a ping');
    const ping = await server.post(`${page}/ping`, { as });
    expect(ping.text).to.include('role="alert"');
    await server.post(`${page}/enable`, { as });
    expect(await get()).to.include('Send a ping');
  });

  it('delete a webhook', async () => {
    expect((await server.post(`${page}/delete`, { as })).headers.location).to.equal(list);
    expect((await server.get(page, { as })).status).to.equal(404);
  });

  it('show nothing of a webhook that the team does not have', async () => {
    expect((await server.get(`${list}/webhook_00000000000000000000000000`, { as })).status).to.equal(404);
  });
});

import { expect } from 'chai';
import { faultsForSlack } from '../domain/messages/chat/slack-schema.js';
import { freePort } from '../kit/free-port.js';
import { testLoopback } from '../kit/loopback.js';
import { testSite } from '../kit/site.js';

describe('the pages of operations and webhooks in Chromium', () => {
  const site = testSite(undefined, true, async () => {
    const port = String(await freePort());
    return { WEBHOOK_ALLOW: '127.0.0.0/8', PORT: port, PUBLIC_URL: `http://127.0.0.1:${port}` };
  });
  const endpoint = testLoopback((_, answer) => answer.end('thanks'));

  it('show a ping with its attempt, without a reload, and keep what the reader typed', async () => {
    const { page, go } = await site.open();
    await go(`${site.team}/team/webhooks`);
    await page.getByLabel('URL').fill(`${endpoint.url}/hook`);
    await page.getByRole('button', { name: 'Create the webhook' }).click();
    await page.getByText('whsec_').waitFor();
    await go(`${site.team}/team/webhooks`);
    await page.locator('#live-webhooks a').click();
    await page.waitForURL(/webhook_/);
    const path = new URL(page.url()).pathname;
    await page.locator('body[data-live-state=live]').waitFor();
    await page.evaluate(() => document.body.setAttribute('data-not-reloaded', ''));
    await page.getByText('Change the URL, the events or the filter').click();
    await page.getByLabel('URL').fill('https://typed.example/hook');
    const pinged = await site.api.post(`/v1/webhooks/${path.split('/').at(-1)}/ping`, {});
    expect(pinged.status).to.equal(202);
    await page.locator('#live-deliveries').getByText('✓ delivered').waitFor();
    expect(await page.locator('#live-total').innerText()).to.contain('1');
    expect(await page.getByLabel('URL').inputValue()).to.equal('https://typed.example/hook');
    expect(await page.locator('body[data-not-reloaded]').count()).to.equal(1);
  });

  it('show what a webhook of a chat would have sent, keep what was typed, and save it then', async () => {
    const { page, go, expectNoFaults } = await site.open();
    const { id } = (await site.api.post('/v1/projects', { name: 'Tills' })).body.data;
    const failed = { name: 'pays', status: 'failed', error_message: 'the till is closed' };
    const run = {
      project_id: id,
      metadata: { branch: 'main' },
      results: [failed, { ...failed, name: 'refunds' }],
    };
    expect((await site.api.post('/v1/test-runs', run)).status).to.equal(201);
    await go(`${site.team}/team/webhooks`);
    await page.getByLabel('URL').fill('https://hooks.slack.com/services/T0/B0/x');
    await page.getByLabel('run.completed').uncheck();
    await page.getByLabel('Only of these branches').fill('ma*');
    await page.getByLabel('Messages for').selectOption('slack');
    await page.getByRole('button', { name: 'Preview' }).click();
    const preview = page.locator('#preview');
    await preview.getByText('1 message').waitFor();
    const body = JSON.parse(await preview.locator('pre').innerText());
    expect(faultsForSlack(body)).to.deep.equal([]);
    expect(body.text).to.include('2 tests failed of a new cause');
    expect(await page.getByLabel('Only of these branches').inputValue()).to.equal('ma*');
    await page.getByLabel('Only of these branches').fill('topic');
    await page.getByRole('button', { name: 'Preview' }).click();
    await preview.getByText('0 messages').waitFor();
    await page.getByRole('button', { name: 'Create the webhook' }).click();
    await page.locator('#live-webhooks').getByText('topic').waitFor();
    expectNoFaults();
  });

  it('show the state of the server as it changes, without a reload', async () => {
    const { page, go } = await site.open();
    await go(`${site.team}/operations`);
    await page.locator('body[data-live-state=live]').waitFor();
    await page.evaluate(() => document.body.setAttribute('data-not-reloaded', ''));
    const events = page.locator('dt:text-is("Events") + dd');
    const before = await events.innerText();
    expect((await site.api.post('/v1/projects', { name: 'Made meanwhile' })).status).to.equal(201);
    await page.locator('dt:text-is("Events") + dd').filter({ hasNotText: before }).waitFor();
    expect(await page.locator('body[data-not-reloaded]').count()).to.equal(1);
  });
});

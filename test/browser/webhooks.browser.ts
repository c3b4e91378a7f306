import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { testSite } from '../kit/site.js';

describe('the pages of operations and webhooks in Chromium', () => {
  const site = testSite(undefined, true, async () => ({ WEBHOOK_ALLOW: '127.0.0.0/8' }));
  let endpoint: Server;
  before(async () => {
    endpoint = createServer((_, answer) => answer.end('thanks'));
    await new Promise<void>((resolve) => endpoint.listen(0, '127.0.0.1', resolve));
  });
  after(() => endpoint.close());

  it('show a ping with its attempt, without a reload, and keep what the reader typed', async () => {
    const { page, go } = await site.open();
    await go(`${site.team}/team/webhooks`);
    await page.getByLabel('URL').fill(`http://127.0.0.1:${(endpoint.address() as AddressInfo).port}/hook`);
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

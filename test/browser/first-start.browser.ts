import { expect } from 'chai';
import { api } from '../kit/client.js';
import { account, becomeOwner, testSite } from '../kit/site.js';

describe('the first start in Chromium', () => {
  const site = testSite(undefined, false);

  it('leads from the printed link to a key, and shows a run as soon as it is posted, without a reload', async () => {
    const { page } = await site.open();
    await becomeOwner({ page } as Parameters<typeof becomeOwner>[0], site.firstStart);
    await page.getByLabel('Name of a new key').fill('ci');
    await page.getByRole('button', { name: 'Create the key' }).click();
    const shown = page.getByText(/tl_[0-9A-Za-z]{36}/).first();
    const key = /tl_[0-9A-Za-z]{36}/.exec(await shown.innerText())![0];

    const ci = api(() => site.url, key);
    const { body } = await ci.get('/v1/projects');
    const [{ id: project_id }] = body.data;
    await page.goto(`${site.url}${site.team}/projects/${project_id}`);
    await page.evaluate(() => document.body.setAttribute('data-not-reloaded', ''));
    const results = [{ name: 'cart › adds an item', status: 'passed' }];
    const { status } = await ci.post('/v1/test-runs', { project_id, label: 'The very first', results });
    expect(status).to.equal(201);
    await page.getByText('The very first').waitFor();
    expect(await page.locator('body[data-not-reloaded]').count()).to.equal(1);
  });

  it('leads the owner back in by e-mail address and password', async () => {
    const { page } = await site.open({ signedOut: true });
    await page.goto(site.url);
    await page.getByLabel('E-mail').fill(account.email);
    await page.getByLabel('Password').fill(account.password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL(/\/teams\//);
    expect(await page.locator('header').innerText()).to.contain(account.name);
  });
});

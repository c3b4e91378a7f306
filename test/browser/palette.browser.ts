import { expect } from 'chai';
import { fillShop } from './shop.js';
import { seriousFindings, testSite } from '../kit/site.js';

describe('the search over everything, in Chromium', () => {
  const site = testSite(fillShop);

  it('opens by Ctrl K, shows what it finds while one types, and leads to it by keys alone', async () => {
    const { page, go } = await site.open({});
    await go(`${site.team}/projects`);
    await page.keyboard.press('Control+k');
    await page.keyboard.type('pays wallet');
    const found = page.locator('dialog a').filter({ hasText: 'wallet' }).first();
    await found.waitFor();
    expect(await seriousFindings(page)).to.deep.equal([]);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/(tests|runs|failures)\//u);
  });

  it('closes by Escape, and so do menus', async () => {
    const { page, go } = await site.open({});
    await go(`${site.team}/projects`);
    await page.keyboard.press('?');
    const dialog = page.locator('dialog');
    await dialog.getByText('search everything').waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    await page.locator('.account summary').click();
    await page.getByRole('button', { name: 'Sign out' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Sign out' }).waitFor({ state: 'hidden' });
  });

  it('is a page of its own without scripts', async () => {
    const { page } = await site.open({ javaScriptEnabled: false });
    await page.goto(`${site.url}${site.team}`);
    await page.getByRole('textbox', { name: 'Search everything' }).fill('wallet');
    await page.keyboard.press('Enter');
    await page.locator('main .found a').first().waitFor();
  });
});

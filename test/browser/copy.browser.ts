import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { givenProject, givenResult } from '../http/given.js';
import { testSite } from '../kit/site.js';

describe('a button that copies, in Chromium', () => {
  const site = testSite();

  /** The page of a failure as a browser shows it that is not in a secure context. */
  const opened = async () => {
    const project = await givenProject(site.api, { name: 'Web shop' });
    const { test_result_id } = await givenResult(site.api, project, { status: 'Failed' });
    const { page, go } = await site.open();
    await page.addInitScript(() => {
      Object.defineProperty(Navigator.prototype, 'clipboard', { value: undefined });
    });
    const path = `${site.team}/results/${test_result_id}`;
    await go(path);
    return { page, go, project, url: site.url + path };
  };
  const pastedInto = async (page: Page, selector: string) => {
    await page.locator(selector).focus();
    await page.keyboard.press('Control+V');
    return page.locator(selector).inputValue();
  };

  it('copies where the page has no clipboard', async () => {
    const { page, go, project, url } = await opened();
    await page.getByRole('button', { name: 'Copy link' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await page.locator('copy-button textarea').count()).to.equal(0);
    await page.getByText('Mark as a known failure').click();
    expect(await pastedInto(page, '#known-reason')).to.equal(url);
    await go(`${site.team}/projects/${project}/settings`);
    await page.getByRole('button', { name: 'Copy' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    await page.locator('#field-description').fill('');
    expect(await pastedInto(page, '#field-description')).to.equal(project);
  });

  it('fetches the Markdown of a result and copies it, and says where it cannot', async () => {
    const { page } = await opened();
    await page.getByRole('button', { name: 'Copy as Markdown' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    await page.getByText('Mark as a known failure').click();
    expect(await pastedInto(page, '#known-reason')).to.match(/^# A test\s+- Status: failed/);
    await page.reload();
    await page.context().clearCookies();
    await page.getByRole('button', { name: 'Copy as Markdown' }).click();
    await page.getByRole('button', { name: 'Not copied' }).waitFor();
  });

  it('leaves the text selected and says so where nothing can be copied', async () => {
    const { page, url } = await opened();
    await page.evaluate(() => {
      document.execCommand = () => false;
    });
    await page.getByRole('button', { name: 'Copy link' }).click();
    await page.getByRole('button', { name: 'Not copied' }).waitFor();
    expect(await page.evaluate(() => window.getSelection()?.toString())).to.equal(url);
  });
});

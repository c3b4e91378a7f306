import { expect } from 'chai';
import { givenProject, givenResult } from '../http/given.js';
import { testSite } from '../kit/site.js';

describe('the form of a known failure, in Chromium', () => {
  const site = testSite();

  it('asks for the day where "the day" is chosen, and for none otherwise', async () => {
    const project = await givenProject(site.api, { name: 'Web shop' });
    const { test_result_id } = await givenResult(site.api, project, { status: 'Failed' });
    const { page, go } = await site.open();
    await go(`${site.team}/results/${test_result_id}`);
    await page.getByText('Mark as a known failure').click();
    await page.getByLabel('Reason').fill('SHOP-1');
    const day = page.getByLabel('The day on which it ends');
    const isRequired = () => day.evaluate((field) => (field as HTMLInputElement).required);
    await page.getByLabel('the day', { exact: true }).check();
    expect(await isRequired()).to.equal(true);
    await page.getByRole('button', { name: 'Mark as known' }).click();
    expect(await page.getByLabel('Reason').inputValue()).to.equal('SHOP-1');
    await page.getByLabel('30 days').check();
    expect(await isRequired()).to.equal(false);
    await page.getByRole('button', { name: 'Mark as known' }).click();
    await page.locator('.known-reason').getByText('SHOP-1').waitFor();
  });
});

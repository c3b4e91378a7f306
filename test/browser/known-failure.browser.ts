import { expect } from 'chai';
import { givenProject, givenResult, givenSubmission } from '../http/given.js';
import { testSite } from '../kit/site.js';

describe('the form of a known failure, in Chromium', () => {
  const site = testSite();

  for (const javaScriptEnabled of [true, false]) {
    it(`is three clicks away from the page of a run, ${javaScriptEnabled ? 'with' : 'without'} scripts`, async () => {
      const project = await givenProject(site.api);
      const { run } = await givenSubmission(site.api, project, [{ name: 'pays', status: 'failed' }]);
      const { page } = await site.open({ javaScriptEnabled });
      await page.goto(`${site.url}${site.team}/runs/${run}`);
      await page.getByRole('link', { name: 'pays', exact: true }).first().click();
      await page.locator('.page-actions').getByRole('link', { name: 'Mark as known' }).click();
      await page.getByLabel('Reason').fill('SHOP-1');
      await page.getByRole('button', { name: 'Mark as known' }).click();
      await page.locator('.known-reason').getByText('SHOP-1').waitFor();
    });
  }

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

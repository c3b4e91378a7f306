import { givenProject, givenSubmission } from '../http/given.js';
import { eventually } from '../stores.js';
import { testSite } from '../kit/site.js';

describe('a part that comes later, in Chromium', () => {
  const site = testSite();

  it('is on the page once it is there, and a link away without scripts', async () => {
    const project = await givenProject(site.api, { name: 'A large one' });
    const items = Array.from({ length: 2_501 }, (_, n) => ({
      name: `test ${n}`,
      duration_ms: n === 7 ? 90_000 : 10,
    }));
    await givenSubmission(site.api, project, items);
    await eventually('the statistics have the run', async () => {
      const { data } = (await site.api.get(`/v1/projects/${project}/stats`)).body;
      return data.totals.tests === 2_501;
    });
    const path = `${site.team}/projects/${project}/insights`;
    const { page, go } = await site.open();
    await go(path);
    await page.getByRole('link', { name: 'test 7', exact: true }).waitFor();
    const plain = await site.open({ javaScriptEnabled: false });
    await plain.go(path);
    await plain.page.getByRole('link', { name: 'Show them' }).click();
    await plain.page.getByRole('link', { name: 'test 7', exact: true }).waitFor();
  });
});

import { expect } from 'chai';
import { givenArtifact, givenProject, givenResult } from '../http/given.js';
import { testSite } from '../kit/site.js';

describe('a log on the page of a result, in Chromium', () => {
  const site = testSite();

  /** The log on its page, where the first one is open. */
  const opened = async (text: string) => {
    const project = await givenProject(site.api, { name: 'Web shop' });
    const { test_result_id } = await givenResult(site.api, project, { status: 'Failed' });
    await givenArtifact(site.api, test_result_id, text, { kind: 'Log', content_type: 'text/plain' });
    const { page, go } = await site.open();
    await go(`${site.team}/results/${test_result_id}`);
    await page
      .getByRole('status')
      .filter({ hasText: /^This is/ })
      .waitFor();
    return page;
  };

  // Each line has 60 bytes and characters of 2 and 3 bytes, so that pieces end within characters. Three pieces in all.
  const lines = Array.from(
    { length: 10_000 },
    (_, n) => `line ${String(n).padStart(5, '0')} ${'ü€'.repeat(10)}`,
  );

  it('has each line once after its end was read before its middle, and whole characters all the way', async () => {
    const page = await opened(lines.join('\n'));
    const log = page.locator('log-view pre');
    await page.getByRole('button', { name: 'Read the end' }).click();
    await page.getByText('This is 512 kB of').waitFor();
    expect(await log.innerText()).not.to.contain('\ufffd');
    await page.getByRole('button', { name: 'Read on' }).click();
    await page.getByText('This is the whole log.').waitFor();
    expect((await log.innerText()).split('\n')).to.deep.equal(lines);
  });

  it('has each line once after a double click on the button that reads on', async () => {
    const page = await opened(lines.join('\n'));
    await page.getByRole('button', { name: 'Read on' }).dblclick();
    await page.getByText('This is 512 kB of').waitFor();
    await page.getByRole('button', { name: 'Read on' }).click();
    await page.getByText('This is the whole log.').waitFor();
    expect((await page.locator('log-view pre').innerText()).split('\n')).to.deep.equal(lines);
  });

  it('has the text of a link of a terminal, without its codes', async () => {
    const link = '\u001b]8;;https://ci.example/1\u0007the build\u001b]8;;\u0007';
    const page = await opened(`see ${link}, \u001b[31mred\u001b[0m`);
    expect(await page.locator('log-view pre').innerText()).to.equal('see the build, red');
  });
});

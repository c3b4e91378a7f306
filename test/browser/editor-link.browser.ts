import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { givenProject, givenSubmission } from '../http/given.js';
import { testSite } from '../kit/site.js';

describe('links to the editor, in Chromium', () => {
  const site = testSite();

  const openedFailure = async (file: string, repo_url: string | null) => {
    const project = await givenProject(site.api);
    if (repo_url !== null) await site.api.patch(`/v1/projects/${project}`, { repo_url });
    const stack = `Error: no\n    at pay (src/cart.ts:7:3)`;
    const { results } = await givenSubmission(site.api, project, [
      { name: 'pays', status: 'failed', metadata: { file, line: 12, error: { message: 'no', stack } } },
    ]);
    const { page, go } = await site.open();
    const saved = async (address: string) => {
      await go('/account');
      await page.getByLabel('Address of a place in your editor').fill(address);
      await page.locator('editor-setting').getByRole('button', { name: 'Save' }).click();
    };
    const links = async () => {
      await go(`${site.team}/results/${results[0]}`);
      return linksIn(page);
    };
    return { page, saved, links };
  };
  const linksIn = (page: Page) =>
    page.locator('editor-link a').evaluateAll((all) => all.map((link) => link.getAttribute('href')));

  it('show beside the file and in the stack once the person has said where the files are', async () => {
    const { page, saved, links } = await openedFailure('src/a b.ts', 'https://github.com/acme/shop');
    expect(await links()).to.deep.equal([]);
    await saved('vscode://file/home/me/{repo}/{file}:{line}');
    await page.getByText('Saved in this browser.').waitFor();
    expect(await links()).to.have.members([
      'vscode://file/home/me/shop/src/a%20b.ts:12',
      'vscode://file/home/me/shop/src/cart.ts:7',
    ]);
  });

  it('keep a hostile file name inside of its place in the address', async () => {
    const { saved, links } = await openedFailure('a&line=1#{line}?$&"><b>/%2e%2e/x.ts', null);
    await saved('idea://open?file=/home/me/{file}&line={line}');
    const [first] = (await links()).filter((href) => !href!.includes('cart.ts'));
    const { hash, searchParams } = new URL(first!);
    expect(hash).to.equal('');
    expect([...searchParams]).to.deep.equal([
      ['file', '/home/me/a&line=1#{line}?$&"><b>/%2e%2e/x.ts'],
      ['line', '12'],
    ]);
    const { links: outside } = await openedFailure('../../etc/passwd.ts', null);
    expect((await outside()).filter((href) => href!.includes('passwd'))).to.deep.equal([]);
  });

  it('are refused for another scheme, and missing where the address needs a repository that is not there', async () => {
    const { page, saved, links } = await openedFailure('src/cart.ts', null);
    await saved('javascript:alert("{file}")');
    expect(await page.evaluate(() => localStorage.getItem('editor'))).to.equal(null);
    await page.evaluate(() => localStorage.setItem('editor', 'javascript:alert("{file}")'));
    expect(await links()).to.deep.equal([]);
    await saved('zed://file/home/me/{repo}/{file}:{line}');
    expect(await links()).to.deep.equal([]);
  });
});

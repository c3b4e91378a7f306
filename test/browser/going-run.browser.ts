import { expect } from 'chai';
import type { Request, Route } from 'playwright-core';
import { givenProject, givenResult, givenRun, givenSubmission } from '../http/given.js';
import { account, testSite } from '../kit/site.js';

describe('a page while runs are going, in Chromium', () => {
  const site = testSite();
  const opened = async () => {
    const project = await givenProject(site.api, { name: 'Web shop' });
    const { test_run_id } = await givenRun(site.api, project);
    const { page, go } = await site.open();
    await go(`${site.team}/runs/${test_run_id}`);
    await page.locator('body[data-live-state=live]').waitFor();
    expect(await page.locator('main').innerText()).to.contain('This run has no results yet');
    const post = (status: string, test_name = 'pays') =>
      givenResult(site.api, project, { test_run_id, status, test_name });
    const complete = () => site.api.post(`/v1/test/run/${test_run_id}`, { status: 'Completed' });
    return { page, post, complete };
  };

  it('shows results that come, its end and its gate by itself', async () => {
    const { page, post, complete } = await opened();
    for (let n = 0; n < 5; n += 1) await post('Passed');
    expect((await complete()).status).to.equal(204);
    await page.locator('h2', { hasText: 'Passed 5' }).waitFor();
    await page.locator('dt:text-is("Finished")').waitFor();
    await page.locator('dt:text-is("Gate") + dd', { hasText: 'passed' }).waitFor();
    const text = await page.locator('main').innerText();
    expect(text).to.contain('Nothing failed').and.not.contain('no results yet').and.not.contain('Started');
  });

  it('shows the first failures by itself, and offers to show later ones', async () => {
    const { page, post, complete } = await opened();
    await post('Failed');
    await page.locator('h2', { hasText: 'Single failures 1' }).waitFor();
    await page.locator('body[data-live-state=live]').waitFor();
    const pill = page.locator('.fresh-failures');
    expect(await pill.count()).to.equal(0);
    for (const name of ['pays again', 'ships', 'bills']) await post('Failed', name);
    await post('Passed', 'refunds');
    // The headline counts those in the list and those of the link.
    await page.locator('h1', { hasText: '4 failed' }).waitFor();
    await pill.filter({ hasText: /^3 more failures: show$/ }).waitFor();
    await page.locator('h2', { hasText: 'Passed 1' }).waitFor();
    await complete();
    await page.locator('dt:text-is("Gate") + dd', { hasText: 'failed' }).waitFor();
    await pill.click();
    await page.locator('h2', { hasText: 'Single failures 4' }).waitFor();
    expect(await pill.count()).to.equal(0);
  });

  it('says how long ago it began, also while nothing comes', async () => {
    const project = await givenProject(site.api, { name: 'Web shop' });
    const { test_run_id } = await givenRun(site.api, project);
    await site.api.post(`/v1/test/run/${test_run_id}`, { status: 'Running' });
    const { page, go } = await site.open();
    await page.clock.install();
    await go(`${site.team}/runs/${test_run_id}`);
    const begun = page.locator('dt:text-is("Started") + dd');
    expect(await begun.innerText()).to.equal('just now');
    await page.clock.fastForward('02:10');
    expect(await begun.innerText()).to.equal('2 min. ago');
  });

  it('says that nobody is signed in once the session has ended, and leads back through the sign-in', async () => {
    const project = await givenProject(site.api, { name: 'Web shop' });
    // The tests around this one go on with their session.
    const { page: other } = await site.open({ signedOut: true });
    // Its refused stream is an error on its console, which would count as a fault.
    const page = await other.context().newPage();
    const path = `${site.team}/projects/${project}`;
    const signIn = async () => {
      await page.getByLabel('E-mail').fill(account.email);
      await page.getByLabel('Password').fill(account.password);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.waitForURL(site.url + path);
    };
    await page.goto(site.url + path);
    await signIn();
    await page.locator('body[data-live-state=live]').waitFor();
    await other.goto(site.url + site.team);
    await other.locator('.account summary').click();
    await other.getByRole('button', { name: 'Sign out' }).click();
    const note = page.getByRole('status').filter({ hasText: 'Signed out.' });
    await note.getByRole('link', { name: 'Sign in' }).click();
    await signIn();
  });

  it('says that it is not connected while a proxy answers in place of the server, and goes on by itself afterwards', async () => {
    const project = await givenProject(site.api, { name: 'Web shop' });
    const { page, go } = await site.open();
    const isStream = (request: Request) => request.headers()['accept'] === 'text/event-stream';
    const answerInPlace = (route: Route) =>
      isStream(route.request()) ? route.fulfill({ status: 204 }) : route.continue();
    await page.route('**/*', answerInPlace);
    await go(`${site.team}/projects/${project}`);
    const note = page.getByRole('status').filter({ hasText: 'Not connected since' });
    await note.waitFor();
    await page.unroute('**/*', answerInPlace);
    await page.locator('body[data-live-state=live]').waitFor();
    await note.waitFor({ state: 'detached' });
    await givenRun(site.api, project, { label: 'nightly' });
    await page.getByRole('link', { name: 'nightly' }).waitFor();
  });

  it('keeps the row that a reader has selected in a list that gets more runs', async () => {
    const project = await givenProject(site.api, { name: 'Web shop' });
    for (const label of ['The first', 'The second'])
      await givenSubmission(site.api, project, [{}], { label });
    const { page, go } = await site.open();
    await go(`${site.team}/projects/${project}`);
    await page.locator('body[data-live-state=live]').waitFor();
    await page.keyboard.press('j');
    const selected = page.locator('[data-row][aria-selected=true]');
    expect(await selected.innerText()).to.contain('The second');
    await givenSubmission(site.api, project, [{}], { label: 'The third' });
    await page.getByRole('link', { name: 'The third' }).waitFor();
    expect(await selected.innerText()).to.contain('The second');
    await page.keyboard.press('j');
    expect(await selected.innerText()).to.contain('The first');
  });
});

import { expect } from 'chai';
import { strFromU8, strToU8, unzipSync, zipSync } from 'fflate';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient, type Client } from '../../src/client/index.js';
import { OWNER_KEY } from '../kit/environment.js';
import { freePort } from '../kit/free-port.js';
import { openLoopback } from '../kit/loopback.js';
import { launchChromium } from '../kit/chromium.js';
import { account, testSite, type Site } from '../kit/site.js';

describe('the trace of a failed test in Chromium', () => {
  let [port, result] = [0, ''];
  const site = testSite(fill, true, async () => {
    port = await freePort();
    // Chromium takes every name below `localhost` for this machine.
    return { PORT: String(port), ARTIFACTS_ORIGIN: `http://files.localhost:${port}` };
  });

  async function fill({ url, key }: { url: string; key: string }): Promise<void> {
    const client = createClient({ url, apiKey: key });
    result = await withTrace(site, client, await recordedTrace());
  }

  it('opens in the viewer at the origin apart, which shows its actions and snapshots', async () => {
    const { page, go } = await site.open();
    await go(`${site.team}/results/${result}`);
    const opened = page.context().waitForEvent('page');
    await page.getByRole('link', { name: 'Open the trace' }).click();
    const viewer = await opened;
    const refused: string[] = [];
    viewer.on('console', (message) => {
      if (message.text().includes('Content Security Policy')) refused.push(message.text());
    });
    await viewer.getByText('buy-button').first().waitFor();
    expect(new URL(viewer.url()).origin).to.equal(`http://files.localhost:${port}`);
    const snapshot = viewer.frameLocator('iframe.snapshot-visible');
    await snapshot.getByText('A shoe for Olga').waitFor();
    expect(await viewer.evaluate(() => document.cookie)).to.equal('');
    expect(await viewer.context().cookies(viewer.url())).to.deep.equal([]);
    expect(refused).to.deep.equal([]);
  });

  it('shows a trace that was made to attack its reader, and runs nothing of it', async () => {
    const asked: string[] = [];
    const attacker = await openLoopback((request, answer) => {
      asked.push(request.url!);
      answer.setHeader('Access-Control-Allow-Origin', '*').end('got it');
    });
    const result = await withTrace(
      site,
      createClient({ url: site.url, apiKey: OWNER_KEY }),
      attacking(await recordedTrace(), attacker.url),
    );
    const { page } = await site.open();
    // A window of its own: the others fail where a policy refuses something.
    const context = await page
      .context()
      .browser()!
      .newContext({ storageState: await page.context().storageState() });
    const viewer = await context.newPage();
    const dialogs: string[] = [];
    viewer.on('dialog', (dialog) => {
      dialogs.push(dialog.message());
      void dialog.dismiss();
    });
    const artifact = /artifacts\/(artifact_\w+)/.exec(
      await (await context.request.get(`${site.url}${site.team}/results/${result}`)).text(),
    )![1]!;
    await viewer.goto(`${site.url}${site.team}/artifacts/${artifact}?viewer=1`);
    await viewer.getByText('buy-button').first().waitFor();
    const snapshot = viewer.frameLocator('iframe.snapshot-visible');
    await snapshot.getByText('A shoe for Olga').waitFor();
    await snapshot.getByText('the attack is shown').waitFor();
    expect(await viewer.title()).to.not.contain('attacked');
    expect(await snapshot.locator('html').evaluate(() => document.title)).to.not.contain('attacked');
    expect(viewer.url()).to.contain(`http://files.localhost:${port}/trace-viewer/`);
    expect(dialogs).to.deep.equal([]);
    expect(asked).to.deep.equal([]);
    await context.close();
    await attacker.close();
  });

  it('loads no trace of another server into the viewer', async () => {
    let asked = 0;
    const elsewhere = await openLoopback((_, answer) => {
      asked += 1;
      answer.setHeader('Access-Control-Allow-Origin', '*').end('a trace of another server');
    });
    const trace = `${elsewhere.url}/trace.zip`;
    const { page } = await site.open({ signedOut: true });
    // A window of its own: the others fail where a policy refuses something.
    const context = await page.context().browser()!.newContext();
    const viewer = await context.newPage();
    await viewer.goto(
      `http://files.localhost:${port}/trace-viewer/index.html?trace=${encodeURIComponent(trace)}`,
    );
    await viewer
      .getByText(/Could not load trace/)
      .first()
      .waitFor();
    expect(asked).to.equal(0);
    await context.close();
    await elsewhere.close();
  });
});

describe('the files of a failed test on the machine itself, in Chromium', () => {
  let result = '';
  const site = testSite(async ({ url, key }) => {
    const client = createClient({ url, apiKey: key });
    result = await withTrace(site, client, await recordedTrace());
    const html = `<title>waits</title><script>
      const cookies = () => { try { return document.cookie; } catch { return 'no cookies'; } };
      document.title = 'report of ' + self.origin + ', ' + cookies();
    </script>`;
    const bytes = new TextEncoder().encode(html);
    await client.uploadArtifact({
      resultId: result,
      label: 'report.html',
      kind: 'Other',
      contentType: 'text/html',
      bytes,
    });
  });
  const other = () => site.url.replace('127.0.0.1', 'localhost');

  it('open at its other name, without a variable: a trace in its viewer, HTML in a sandbox', async () => {
    const { page, go } = await site.open();
    await go(`${site.team}/results/${result}`);
    const opening = page.context().waitForEvent('page');
    await page.getByRole('link', { name: 'Open the trace' }).click();
    const viewer = await opening;
    await viewer.getByText('buy-button').first().waitFor();
    expect(new URL(viewer.url()).origin).to.equal(other());
    await viewer.frameLocator('iframe.snapshot-visible').getByText('A shoe for Olga').waitFor();
    const opened = page.context().waitForEvent('page');
    await page.getByRole('link', { name: 'Open apart' }).click();
    const report = await opened;
    await report.waitForFunction(() => document.title.startsWith('report'));
    expect(new URL(report.url()).origin).to.equal(other());
    expect(await report.title()).to.equal('report of null, no cookies');
    // At the name of the page, it is a download.
    const href = await page.getByRole('link', { name: 'report.html' }).getAttribute('href');
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('link', { name: 'report.html' }).click(),
    ]);
    expect(download.suggestedFilename()).to.equal('report.html');
    const direct = await page.context().request.get(`${site.url}${href}?open=1`);
    expect(direct.headers()['content-disposition']).to.match(/^attachment/);
  });

  it('open no trace where the browser has a session', async () => {
    const { page, go } = await site.open();
    await go(`${site.team}/results/${result}`);
    const context = await page.context().browser()!.newContext();
    const elsewhere = await context.newPage();
    const viewer = '/trace-viewer/index.html';
    expect((await elsewhere.goto(other() + viewer))!.status()).to.equal(200);
    await elsewhere.goto(`${other()}/sign-in`);
    await elsewhere.getByLabel('E-mail').fill(account.email);
    await elsewhere.getByLabel('Password').fill(account.password);
    await elsewhere.getByRole('button', { name: 'Sign in' }).click();
    await elsewhere.waitForURL(/\/teams\//);
    const refused = (await elsewhere.goto(other() + viewer))!;
    expect([refused.status(), await refused.text()].join(' '))
      .to.contain('403')
      .and.contain('Sign out there');
    await context.close();
  });
});

/** The id of a failed result that has the trace. */
async function withTrace({ api }: Site, client: Client, bytes: Uint8Array): Promise<string> {
  const { body } = await api.post('/v1/projects', { name: 'Shop' });
  const results = [{ name: 'buys a shoe', status: 'failed' as const, error_message: 'no shoe' }];
  const run = await client.submitRun({ project_id: body.data.id, results });
  const resultId = run.resultId(0);
  const trace = { label: 'trace.zip', kind: 'Other', contentType: 'application/zip' } as const;
  await client.uploadArtifact({ resultId, ...trace, bytes });
  return resultId;
}

/** The trace, with everything in its snapshots that could run or load something. */
function attacking(trace: Uint8Array, elsewhere: string): Uint8Array {
  const run = `document.title = 'attacked'; parent.document.title = 'attacked'; alert(1); fetch('${elsewhere}/fetched')`;
  const attack = [
    ['SCRIPT', {}, run],
    ['SCRIPT', { src: `${elsewhere}/script.js` }],
    ['IMG', { src: 'nothing.png', onerror: run }],
    ['IMG', { src: `${elsewhere}/picture.png` }],
    ['svg', { onload: run }],
    ['IFRAME', { srcdoc: `<script>${run}</script>` }],
    ['IFRAME', { src: `javascript:${run}` }],
    ['OBJECT', { data: `${elsewhere}/object` }],
    ['DETAILS', { open: '', ontoggle: run }],
    ['META', { 'http-equiv': 'refresh', content: `0;url=${elsewhere}/refreshed` }],
    ['P', {}, 'the attack is shown'],
    // Markup in names: a reader may take all that follows for the text of a script.
    ['X-ELEMENT><script>' + run + '</script>', {}],
    ['P', { 'a><script>': `"><script>${run}</script>` }, `</p><script>${run}</script>`],
  ];
  const files = unzipSync(trace);
  const changed = Object.entries(files).map(([name, bytes]) => {
    if (!name.endsWith('.trace')) return [name, bytes] as const;
    const lines = strFromU8(bytes).trimEnd().split('\n');
    const attacked = lines.map((line) => {
      const event = JSON.parse(line) as { type: string; snapshot?: { html: unknown[] } };
      if (event.type !== 'frame-snapshot') return line;
      const body = event.snapshot!.html.find((each) => Array.isArray(each) && each[0] === 'BODY');
      if (Array.isArray(body)) body.push(...attack);
      return JSON.stringify(event);
    });
    return [name, strToU8(attacked.join('\n'))] as const;
  });
  return zipSync(Object.fromEntries(changed));
}

/** Of a page with a script in its texts: a snapshot shows it as it was, and runs nothing. */
async function recordedTrace(): Promise<Uint8Array> {
  const folder = await mkdtemp(join(tmpdir(), 'testledger-trace-'));
  const browser = await launchChromium();
  try {
    const context = await browser.newContext();
    await context.tracing.start({ snapshots: true, screenshots: true });
    const page = await context.newPage();
    const html = `<h1>A shoe for Olga</h1><button id="buy-button">Buy</button><script>document.title = 'run'</script>`;
    await page.goto(`data:text/html,${encodeURIComponent(html)}`);
    await page.locator('#buy-button').click();
    const path = join(folder, 'trace.zip');
    await context.tracing.stop({ path });
    return await readFile(path);
  } finally {
    await browser.close();
    await rm(folder, { recursive: true });
  }
}

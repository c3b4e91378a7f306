import { expect } from 'chai';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '../../src/client/index.js';
import { freePort } from '../stack/free-port.js';
import { launchChromium } from './chromium.js';
import { testSite } from './site.js';

describe('the trace of a failed test in Chromium', () => {
  let [port, result] = [0, ''];
  const site = testSite(fill, true, async () => {
    port = await freePort();
    // Chromium takes every name below `localhost` for this machine.
    return { PORT: String(port), ARTIFACTS_ORIGIN: `http://files.localhost:${port}` };
  });

  async function fill({ url, key }: { url: string; key: string }): Promise<void> {
    const client = createClient({ url, apiKey: key });
    const { body } = await site.api.post('/v1/projects', { name: 'Shop' });
    const results = [{ name: 'buys a shoe', status: 'failed' as const, error_message: 'no shoe' }];
    const run = await client.submitRun({ project_id: body.data.id, results });
    result = run.resultId(0);
    const trace = {
      resultId: result,
      label: 'trace.zip',
      kind: 'Other',
      contentType: 'application/zip',
    } as const;
    await client.uploadArtifact({ ...trace, bytes: await recordedTrace() });
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

  it('loads no trace of another server into the viewer', async () => {
    let asked = 0;
    const elsewhere = createServer((_, answer) => {
      asked += 1;
      answer.setHeader('Access-Control-Allow-Origin', '*').end('a trace of another server');
    }).listen(0, '127.0.0.1');
    await once(elsewhere, 'listening');
    const trace = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}/trace.zip`;
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
    elsewhere.close();
  });
});

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

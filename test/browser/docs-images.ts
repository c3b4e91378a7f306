/** `npm run screenshots`: makes the pictures of the documents, of a server that the demo has filled. */
import { expect } from 'chai';
import { mkdir, writeFile } from 'node:fs/promises';
import { createClient } from '../../src/client/index.js';
import { fillService } from '../../src/demo/fill.js';
import { shopPages } from './shop.js';
import { testSite } from '../kit/site.js';

const FOLDER = 'docs/images';
const MOST_BYTES = 100 * 1_024;

describe('the pictures of the documents', () => {
  const site = testSite(async ({ url, key }) => {
    const client = createClient({ url, apiKey: key });
    await fillService({ client, now: Date.now(), days: 14, print: () => undefined });
  });

  for (const name of ['run', 'failure-with-pictures'] as const) {
    it(`${name} is at most 100 kB`, async () => {
      // 1280 pixels of the page become 800 of the picture.
      const { page, go } = await site.open({
        viewport: { width: 1280, height: 900 },
        deviceScaleFactor: 0.625,
        colorScheme: 'light',
      });
      await go((await shopPages(site))[name]!.path);
      const bytes = await page.screenshot();
      expect(bytes.length).to.be.at.most(MOST_BYTES);
      await mkdir(FOLDER, { recursive: true });
      await writeFile(`${FOLDER}/${name}.png`, bytes);
    });
  }
});

import { expect } from 'chai';
import { createClient, type Client } from '../../src/client/index.js';
import { encodePng, picture, type Colour } from '../../src/demo/png.js';
import { OWNER_KEY } from '../kit/environment.js';
import { until } from '../kit/process.js';
import { overflow, seriousFindings, testSite } from '../kit/site.js';

const plain = (colour: Colour) => encodePng(picture(120, 60, colour));

describe('the pictures of a failure, in Chromium', () => {
  let project = '';
  const site = testSite(async () => {
    project = (await site.api.post('/v1/projects', { name: 'Shop' })).body.data.id;
  });

  /** The page of a failure with the pictures, by name. */
  async function failureWith(pictures: Record<string, Uint8Array>): Promise<string> {
    const client: Client = createClient({ url: site.url, apiKey: OWNER_KEY });
    const results = [{ name: 'looks right', status: 'failed' as const, error_message: 'pixels differ' }];
    const run = await client.submitRun({ project_id: project, results });
    const resultId = run.resultId(0);
    for (const [label, bytes] of Object.entries(pictures))
      await client.uploadArtifact({ resultId, label, kind: 'Other', contentType: 'image/png', bytes });
    return `${site.team}/results/${resultId}`;
  }

  it('are compared by tabs and keys: difference, slider with a handle on the picture, side by side, blink', async () => {
    const path = await failureWith({
      'cart-expected.png': plain([255, 255, 255]),
      'cart-actual.png': plain([200, 0, 0]),
      'cart-diff.png': plain([0, 0, 200]),
    });
    const { page, go } = await site.open({ viewport: { width: 1440, height: 900 } });
    await go(path);
    const way = () => page.locator('.image-ways [aria-pressed=true]').textContent();
    const pair = page.locator('.image-pair');
    const shown = async () =>
      pair.locator('img:visible').evaluateAll((all) => all.map((each) => each.className));
    expect([await way(), await shown()]).to.deep.equal(['Difference', ['differs']]);
    expect(await seriousFindings(page)).to.deep.equal([]);
    await page.keyboard.press('2');
    expect([await way(), await shown()]).to.deep.equal(['Slider', ['under', 'over']]);
    expect(await pair.locator('.image-side:visible').allTextContents()).to.deep.equal(['Expected', 'Actual']);
    const box = (await pair.boundingBox())!;
    await page.mouse.move(box.x + box.width / 2, box.y + 20);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width / 4, box.y + 30);
    await page.mouse.up();
    const handle = page.getByRole('slider');
    expect(Number(await handle.getAttribute('aria-valuenow'))).to.be.within(23, 27);
    await page.keyboard.press('End');
    expect(await handle.getAttribute('aria-valuenow')).to.equal('100');
    expect(await seriousFindings(page)).to.deep.equal([]);
    await page.keyboard.press('3');
    expect([await way(), await pair.isVisible()]).to.deep.equal(['Side by side', false]);
    await page.getByAltText('Expected: cart.png').last().waitFor();
    await page.keyboard.press('4');
    expect(await way()).to.equal('Blink');
    await pair.locator('.over:visible').waitFor();
    await pair.locator('.over').waitFor({ state: 'hidden' });
    await page.keyboard.press('2');
    await page.getByRole('button', { name: 'Zoom in' }).click();
    const wide = (await pair.boundingBox())!.width;
    expect(wide).to.be.above(1.9 * box.width);
    expect(await overflow(page)).to.equal(0);
  });

  it('stand beside the error where there is room, and below it on a narrow screen', async () => {
    const path = await failureWith({ 'shop.png': plain([0, 100, 0]) });
    const { page, go } = await site.open({ viewport: { width: 1440, height: 900 } });
    await go(path);
    const boxes = async () =>
      Promise.all(['#error', '#artifacts'].map(async (id) => (await page.locator(id).boundingBox())!));
    const [error, picture] = await boxes();
    expect(picture!.x).to.be.above(error!.x + 300);
    expect(Math.abs(picture!.y - error!.y)).to.be.below(20);
    await page.setViewportSize({ width: 390, height: 800 });
    const [narrowError, narrowPicture] = await boxes();
    expect(narrowPicture!.y).to.be.above(narrowError!.y + 20);
    expect(await overflow(page)).to.equal(0);
  });

  it('say so where they are none, also in a comparison', async () => {
    const none = new TextEncoder().encode('<script>alert(1)</script>');
    const path = await failureWith({
      'none.png': none,
      'cart-expected.png': plain([255, 255, 255]),
      'cart-actual.png': none,
    });
    const { page, go } = await site.open();
    // The script comes late: both had failed by then, and none of them says so again.
    const failed: string[] = [];
    await page.route(/\.js$/, async (route) => {
      await until('the pictures have failed', () => failed.length >= 2);
      await route.continue();
    });
    page.on('requestfinished', (request) => {
      if (request.resourceType() === 'image' && request.url().includes('artifact'))
        failed.push(request.url());
    });
    await go(path);
    await page.locator('.image-frame').waitFor({ state: 'detached' });
    await page.locator('image-diff').scrollIntoViewIfNeeded();
    await page.waitForFunction(
      () => document.querySelector('main')!.textContent.split('This picture cannot be read').length === 3,
    );
    expect(await page.getByAltText('Expected: cart.png').isVisible()).to.equal(true);
    expect(await seriousFindings(page)).to.deep.equal([]);
  });
});

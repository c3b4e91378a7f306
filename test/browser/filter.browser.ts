import { expect } from 'chai';
import { fillShop, shopPages } from './shop.js';
import { overflow, screenshot, seriousFindings, testSite } from '../kit/site.js';

const WIDE = { width: 1440, height: 900 };
const NARROW = { width: 390, height: 844 };

describe('the filter of lists, in Chromium', () => {
  const site = testSite(fillShop);
  let paths: Record<'runs' | 'tests' | 'failures' | 'results', string>;
  before(async () => {
    const pages = await shopPages(site);
    const [results = ''] = pages['results']!.path.split('?');
    paths = {
      runs: pages['runs']!.path,
      tests: pages['tests']!.path,
      failures: pages['failures']!.path,
      results,
    };
  });

  it('completes fields and values by keys alone, and filters by Enter', async () => {
    const { page, go } = await site.open({ viewport: WIDE });
    await go(paths.runs);
    await page.keyboard.press('/');
    const field = page.getByRole('combobox', { name: 'Filter' });
    await page.keyboard.type('sta');
    await page.getByRole('option', { name: /^status: / }).waitFor();
    expect(await field.getAttribute('aria-expanded')).to.equal('true');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    // After a field come its values.
    await page.getByRole('option', { name: 'status:failed' }).waitFor();
    await page.keyboard.press('ArrowDown');
    const active = await field.getAttribute('aria-activedescendant');
    expect(await page.locator(`#${active}`).innerText()).to.equal('status:failed');
    await page.keyboard.press('Tab');
    await page.keyboard.type('branch:mai');
    await page.keyboard.press('Escape');
    expect(await page.getByRole('listbox').isVisible()).to.equal(false);
    await page.keyboard.type('n');
    await page.keyboard.press('Enter');
    await page.waitForURL(/q=status%3Afailed\+branch%3Amain/);
    await page.getByRole('link', { name: 'Remove status:failed' }).click();
    await page.waitForURL(/q=branch%3Amain$/);
  });

  it('takes a term by a click on it, and a value by its button', async () => {
    const { page, go } = await site.open({ viewport: WIDE });
    await go(paths.tests);
    await page.getByRole('combobox', { name: 'Filter' }).fill('state:fl');
    await page.getByRole('option', { name: 'state:flaky' }).click();
    expect(await page.getByRole('combobox', { name: 'Filter' }).inputValue()).to.equal('state:flaky ');
    await page.getByText('Add a filter').click();
    await page
      .getByRole('button', { name: /^Add owner:/ })
      .first()
      .click();
    await page.waitForURL(/q=state%3Aflaky\+owner%3A/);
  });

  for (const [colorScheme, size, viewport] of [
    ['light', 'wide', WIDE],
    ['dark', 'wide', WIDE],
    ['light', 'narrow', NARROW],
    ['dark', 'narrow', NARROW],
  ] as const)
    it(`fits the screen with all that it shows, and axe finds nothing serious, ${colorScheme} and ${size}`, async () => {
      const { page, go } = await site.open({ colorScheme, viewport });
      for (const [name, path] of Object.entries(paths)) {
        await go(path);
        await screenshot(page, `filter-${name}-${size}-${colorScheme}`);
        const q = encodeURIComponent('stauts:failed age:90d environment:x owner:"nobody at all" a');
        await go(`${path}?q=${q}`);
        await page.getByText('Add a filter').click();
        await page.getByRole('combobox', { name: 'Filter' }).focus();
        await page.keyboard.press('ArrowDown');
        await page.keyboard.press('ArrowDown');
        await page.getByRole('option').first().waitFor();
        await screenshot(page, `filter-${name}-open-${size}-${colorScheme}`);
        expect(await overflow(page), name).to.equal(0);
        expect(await seriousFindings(page), name).to.deep.equal([]);
      }
    });

  it('filters and sorts without scripts', async () => {
    const { page } = await site.open({ javaScriptEnabled: false, viewport: NARROW });
    await page.goto(`${site.url}${paths.results}`);
    await page.getByRole('searchbox', { name: 'Filter' }).fill('status:passed cart');
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'Remove status:passed' }).waitFor();
    await page.getByRole('link', { name: 'Duration' }).click();
    await page.locator('th[aria-sort=descending]').waitFor();
    expect(new URL(page.url()).searchParams.get('q')).to.equal('status:passed cart');
    await page.getByText('Add a filter').click();
    await page.getByRole('button', { name: 'Add status:failed' }).click();
    await page.getByRole('link', { name: 'Remove status:failed' }).waitFor();
    // The order stays.
    expect(new URL(page.url()).searchParams.get('sort')).to.equal('duration');
  });
});

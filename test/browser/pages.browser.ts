import { expect } from 'chai';
import { fillShop, pageNames, shopPages, type ShopPage } from './shop.js';
import { overflow, screenshot, seriousFindings, testSite } from '../kit/site.js';

const WIDE = { width: 1280, height: 900 };
const NARROW = { width: 390, height: 844 };

describe('the pages in Chromium', () => {
  const site = testSite(fillShop);
  let pages: Record<string, ShopPage>;
  before(async () => {
    pages = await shopPages(site);
  });

  for (const name of pageNames) {
    describe(name, () => {
      // What fits depends on the size, and contrast on the theme: two of the four pairs show all of it.
      for (const [colorScheme, size, viewport] of [
        ['light', 'wide', WIDE],
        ['dark', 'narrow', NARROW],
      ] as const) {
        it(`shows its data, ${colorScheme} and ${size}, fits the screen, and axe finds nothing serious`, async () => {
          const { page, go } = await site.open({ colorScheme, viewport });
          await go(pages[name]!.path);
          expect(await page.locator('main').innerText()).to.contain(pages[name]!.shows);
          await screenshot(page, `${name}-${size}-${colorScheme}`);
          expect(await overflow(page)).to.equal(0);
          expect(await seriousFindings(page)).to.deep.equal([]);
        });
      }

      it('shows its data without scripts', async () => {
        const { page, go } = await site.open({ javaScriptEnabled: false, viewport: WIDE });
        await go(pages[name]!.path);
        expect(await page.locator('main').innerText()).to.contain(pages[name]!.shows);
      });
    });
  }

  it('fit the screen with names that have 255 characters and no space', async () => {
    const { api, team } = site;
    const name = (start: string) => start.padEnd(255, 'LongName');
    const { body } = await api.post('/v1/projects', { name: name('Project') });
    const project = body.data.id;
    const submit = async (status: string) => {
      const results = [
        {
          name: name(`A test that ${status}`),
          status,
          error_message: name('Error:'),
          metadata: { file: name('src/'), owner: name('@') },
        },
      ];
      const metadata = {
        branch: name('branch/'),
        commit: name('commit'),
        actor: name('actor'),
        tool: 'jest',
      };
      const { body: run } = await api.post('/v1/test-runs', {
        project_id: project,
        label: name('Run'),
        metadata,
        results,
      });
      return run.data;
    };
    await submit('passed');
    const { id, result_id_prefix } = await submit('failed');
    const { body: tests } = await api.get(`/v1/projects/${project}/tests`);
    const paths = [
      '',
      `/projects/${project}`,
      `/projects/${project}/tests?q=state:all`,
      `/projects/${project}/tests/${tests.data[0].id}`,
      `/projects/${project}/failures`,
      `/projects/${project}/insights`,
      '/insights',
      `/projects/${project}/settings`,
      `/runs/${id}`,
      `/runs/${id}/results`,
      `/runs/${id}/compare`,
      `/runs/${id}/history`,
      `/results/${result_id_prefix}0`,
      `/results/${result_id_prefix}0/history`,
    ];
    for (const viewport of [WIDE, NARROW]) {
      const { page, go } = await site.open({ viewport });
      for (const path of paths) {
        await go(team + path);
        expect(await overflow(page), `${viewport.width}: ${path}`).to.equal(0);
        const wider = await page.$$eval(
          '.table-wrap',
          (tables) => tables.filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth).length,
        );
        expect(wider, `tables that do not fit, ${viewport.width}: ${path}`).to.equal(0);
      }
    }
  });

  it('show the tab that is open, where a narrow screen has no room for all tabs', async () => {
    const { page, go } = await site.open({ viewport: NARROW });
    for (const name of ['members', 'team-settings']) {
      await go(pages[name]!.path);
      const { x, width } = (await page.locator('.tabs > [aria-current]').boundingBox())!;
      expect(x, name).to.be.at.least(0);
      expect(x + width, name).to.be.at.most(NARROW.width);
    }
  });

  it('about errors fit the screen', async () => {
    for (const viewport of [WIDE, NARROW]) {
      const { page, go } = await site.open({ viewport });
      for (const path of ['/problems', '/problems/validation_failed']) {
        await go(path);
        expect(await overflow(page), `${viewport.width}: ${path}`).to.equal(0);
      }
    }
  });

  it('steps through rows by j and k, to failures by f, and to the search by /', async () => {
    const { page, go } = await site.open({ viewport: WIDE });
    await go(pages['runs']!.path);
    const selected = () => page.locator('[aria-selected=true]');
    const rows = page.locator('[data-row]');
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    expect(await selected().innerText()).to.equal(await rows.nth(1).innerText());
    await page.keyboard.press('k');
    expect(await selected().innerText()).to.equal(await rows.nth(0).innerText());
    await page.keyboard.press('f');
    expect(await selected().getAttribute('data-row')).to.equal('failed');
    await page.keyboard.press('/');
    expect(
      await page.locator('input[type=search]').evaluate((field) => field === document.activeElement),
    ).to.equal(true);
  });
});

import { expect } from 'chai';
import type { PageApi } from '../../../src/dashboard/page-api.js';
import { hostileTexts } from '../results/hostile-texts.js';
import { attributeOf, elementsIn, intruders } from '../html.js';
import { openPage } from '../open-page.js';
import { listsWith, LISTS, TEAM } from './list-records.js';

/** Answers pages as full as they are asked for. */
function apiWith(text: string, error = text) {
  const { project, overview, statistics, run, test, group, testOfGroup, seen, today, found, total, ...more } =
    listsWith(text, error);
  const calls: string[] = [];
  let most = 0;
  const page = (record: unknown, per_page: number) => {
    most = Math.max(most, per_page);
    const pagination = { page: 1, per_page, total, total_pages: Math.ceil(total / per_page) };
    return { data: Array(per_page).fill(record), pagination };
  };
  const answer = (path: string, per_page: number): unknown => {
    switch (path) {
      case '/v1/search':
        return { data: found };
      case '/v1/today':
        return { data: today };
      case '/v1/projects':
        return page(project, per_page);
      case '/v1/projects/{id}':
        return { data: project };
      case '/v1/projects/{id}/overview':
        return { data: overview };
      case '/v1/stats':
      case '/v1/projects/{id}/stats':
        return { data: statistics };
      case '/v1/test-runs':
        return page(run, per_page);
      case '/v1/test-runs/{id}/failures':
        return page({ ...group, tests: 3, new: true }, per_page);
      case '/v1/test-runs/{id}/comparison':
        return { data: more.comparison };
      case '/v1/test-runs/{id}/comparison/{kind}':
        return page(more.result, per_page);
      case '/v1/test-runs/{id}':
        return { data: run };
      case '/v1/projects/{id}/tests':
        return page(test, per_page);
      case '/v1/projects/{id}/failures':
        return page(group, per_page);
      case '/v1/projects/{id}/failures/{group}/tests':
        return page(testOfGroup, per_page);
      case '/v1/projects/{id}/failures/{group}/history':
        return page(more.entry, per_page);
      case '/v1/projects/{id}/failures/{group}': {
        const { data: runs, pagination } = page(seen, per_page);
        return { data: group, runs, pagination };
      }
      default:
        throw new Error(`no answer for ${path}`);
    }
  };
  const api = {
    get: async (path: string, { query = {} }: { query?: { per_page?: number } } = {}) => {
      calls.push(path);
      return answer(path, query.per_page ?? 20);
    },
    lag: () => 0,
  } as unknown as PageApi;
  return { api, calls, most: () => most };
}

describe('the lists of a team and of a project', () => {
  for (const path of LISTS) {
    it(`have a bounded number of calls, rows, elements and bytes with 100,000 of everything: ${path.slice(TEAM.length + 7)}`, async () => {
      // As long as the API lets a name be.
      const { api, calls, most } = apiWith('a long name › '.repeat(18));
      const { html } = await openPage(path, { api, team: TEAM });
      const elements = elementsIn(html);
      const rows = elements.filter((element) => attributeOf(element, 'data-row') !== null);
      expect(calls.length).to.be.at.most(
        /\/(?:projects$|compare)/.test(path) ? 22 : path.includes('/change') ? 15 : 8,
      );
      expect(most()).to.be.at.most(100);
      expect(rows.length).to.be.at.most(100);
      expect(elements.length).to.be.at.most(5_000);
      expect(Buffer.byteLength(html)).to.be.at.most(300_000);
    });
  }

  for (const { way, text } of hostileTexts) {
    it(`show ${way} as text, and have no element, attribute or address that it made`, async () => {
      for (const path of LISTS) {
        const { api } = apiWith(text);
        const { html } = await openPage(path, { api, team: TEAM });
        expect(intruders(Buffer.from(html).toString()), path).to.deep.equal([]);
      }
    });
  }

  it('cut an error of any length to its first line', async () => {
    const { api } = apiWith('a text', `${'x'.repeat(5_000)}\n${'y'.repeat(500_000)}`);
    const { html } = await openPage(
      LISTS.find((path) => path.endsWith('/failures'))!,
      { api, team: TEAM },
    );
    expect(html).not.to.include('yyy');
  });
});

import { expect } from 'chai';
import type { TypedViews } from '../../src/projecting/typed-views.js';
import { everyTest, filteredTests } from '../../src/queries/tests/listed-tests.js';

describe('the tests that a filter wants', () => {
  it('are counted, and no more of them are kept than the page shows, however many there are', async () => {
    const pages = [0, 1, 2, 3].map((page) => [0, 1, 2].map((n) => ({ name: `${page}${n}` })));
    const views = {
      find: async (_: unknown, { after = 0 }: { after?: number }) => {
        return { items: pages[after], next: after + 1 < pages.length ? after + 1 : null };
      },
    } as unknown as Pick<TypedViews, 'find' | 'get'>;
    const of = { wanted: { ...everyTest, tag: 'slow' }, selection: {} };
    const found = async (offset: number) => {
      const { filtered, ...rest } = await filteredTests(views, 'project_1', of, { offset, limit: 3 });
      return { names: filtered.map(({ name }) => name), ...rest };
    };
    expect(await found(0)).to.deep.equal({ names: ['00', '01', '02'], total: 12, searched: 120 });
    expect(await found(4)).to.deep.equal({ names: ['11', '12', '20'], total: 12, searched: 120 });
    expect(await found(11)).to.deep.equal({ names: ['32'], total: 12, searched: 120 });
    expect(await found(12)).to.deep.equal({ names: [], total: 12, searched: 120 });
  });
});

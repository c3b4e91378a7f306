import { expect } from 'chai';
import type { TypedViews } from '../../src/projecting/typed-views.js';
import { everyTest, taggedTests } from '../../src/queries/tests/tagged-tests.js';

describe('the tests with a tag on a branch', () => {
  it('are counted, and no more of them are kept than the page shows, however many there are', async () => {
    const pages = [0, 1, 2, 3].map((page) => [0, 1, 2].map((n) => ({ test_id: `${page}${n}`, owner: null })));
    const views = {
      find: async (_: unknown, { after = 0 }: { after?: number }) => {
        return { items: pages[after], next: after + 1 < pages.length ? after + 1 : null };
      },
      get: async (_: unknown, ids: readonly string[]) =>
        ids.map((id) => ({ name: id, tags: id.endsWith('1') ? null : '\nslow\n' })),
    } as unknown as Pick<TypedViews, 'find' | 'get'>;
    const wanted = { ...everyTest, tag: 'slow' };
    const found = async (offset: number) => {
      const part = { listing: true, offset, limit: 3 };
      const { tagged, ...rest } = await taggedTests(views, wanted, { where: {} }, part);
      return { names: tagged.map(({ test }) => test.name), ...rest };
    };
    expect(await found(0)).to.deep.equal({ names: ['00', '02', '10'], total: 8, searched: 120 });
    expect(await found(3)).to.deep.equal({ names: ['12', '20', '22'], total: 8, searched: 120 });
    expect(await found(6)).to.deep.equal({ names: ['30', '32'], total: 8, searched: 120 });
    expect(await found(9)).to.deep.equal({ names: [], total: 8, searched: 120 });
  });
});

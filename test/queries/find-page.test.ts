import { expect } from 'chai';
import { findPage, type PageQuery } from '../../src/queries/find-page.js';

describe('a page by number', () => {
  /** A list of numbers that may grow after each query, and how many entries each query has read. */
  function given(count: number, changes: number[] = []) {
    const list = Array.from({ length: count }, (_, n) => n);
    const read: number[] = [];
    const find = async ({ sort, offset, limit }: PageQuery) => {
      const ordered = sort.direction === 'ascending' ? [...list] : list.toReversed();
      const page = { items: ordered.slice(offset, offset + limit), total: list.length };
      read.push(Math.min(offset + limit, list.length));
      for (let more = changes.shift() ?? 0; more > 0; more -= 1) list.push(list.length);
      return page;
    };
    return { find, read, list };
  }
  const query = (offset: number, limit = 20): PageQuery => ({
    where: {},
    sort: { field: 'at', direction: 'ascending' },
    offset,
    limit,
  });

  it('needs one query near the beginning of the list', async () => {
    const { find, read } = given(10_000);
    expect((await findPage(find, query(1_000))).items[0]).to.equal(1_000);
    expect(read).to.deep.equal([1_020]);
  });

  it('past the end is empty, and reads no entries', async () => {
    const { find, read } = given(100_000);
    for (const offset of [100_000, 100_020, Number.MAX_SAFE_INTEGER]) {
      expect(await findPage(find, query(offset))).to.deep.equal({ items: [], total: 100_000 });
    }
    expect(read).to.deep.equal([1, 1, 1]);
  });

  it('past the middle is read from the end of the list', async () => {
    const { find, read } = given(100_000);
    const { items, total } = await findPage(find, query(99_990));
    expect([items, total]).to.deep.equal([Array.from({ length: 10 }, (_, n) => 99_990 + n), 100_000]);
    expect((await findPage(find, query(60_000))).items[0]).to.equal(60_000);
    expect(read).to.deep.equal([1, 10, 1, 40_000]);
  });

  it('is the right page although the list grows between the queries, even every time', async () => {
    for (const changes of [[5], [0, 5], [0, 0], [5, 5, 5, 5, 5, 5]]) {
      const { find } = given(5_000, changes);
      const { items, total } = await findPage(find, query(4_000));
      expect(items).to.deep.equal(Array.from({ length: 20 }, (_, n) => 4_000 + n));
      expect(total).to.be.within(5_000, 5_030);
    }
  });
});

import { expect } from 'chai';
import type { Found, ViewReader } from '../../src/ports/views.js';
import { openSortedTests } from '../../src/queries/statistics/kept-lists.js';
import type { SortedPart } from '../../src/queries/statistics/sorted-tests.js';
import { everyTest } from '../../src/queries/tests/listed-tests.js';

const window = { from: '2026-11-01', to: '2026-11-30', branch_class: undefined } as const;
const by = (sort: SortedPart['sort']): SortedPart => ({ ...window, ...everyTest, sort, order: 'desc' });

/** Views without a document but these tests, that count how often the tests are read. */
function countingViews(items: Found['items'] = []): {
  reader: ViewReader;
  read: () => number;
  moveOn: () => void;
} {
  let [read, at] = [0, 1];
  const views: Partial<ViewReader> = {
    position: async () => String(at),
    get: async (_spec, _name, ids) => ids.map(() => null),
    find: async () => {
      read += 1;
      return { items, next: null };
    },
  };
  return { reader: views as ViewReader, read: () => read, moveOn: () => (at += 1) };
}

describe('the sorted tests of a project', () => {
  it('are read once for all lists of a page, and again once something was folded', async () => {
    const { reader, read, moveOn } = countingViews();
    const sorted = openSortedTests(reader);
    const page = () =>
      Promise.all([by('duration'), by('lost')].map((part) => sorted('team', 'project', part, 100)));
    await page();
    expect(read()).to.equal(1);
    await page();
    expect(read()).to.equal(1);
    moveOn();
    await page();
    expect(read()).to.equal(2);
  });

  it('are kept of a large project as far as pages are turned, and read again for those after that', async () => {
    const items = Array.from({ length: 1_500 }, (_, n) => ({
      id: `test_${n}`,
      position: '1',
      name: `test ${n}`,
      project_id: 'project',
      ordinal: n,
      number: n,
    }));
    const { reader, read } = countingViews(items);
    const sorted = openSortedTests(reader);
    const found = (end: number) => sorted('team', 'project', by('last_result_at'), end);
    expect(await found(100)).to.include({ total: 1_500 });
    expect((await found(1_000)).sorted).to.have.length(1_000);
    expect(read()).to.equal(1);
    expect((await found(1_001)).sorted).to.have.length(1_500);
    expect(read()).to.equal(2);
  });

  it('are read again for a list that counts other runs', async () => {
    const { reader, read } = countingViews();
    const sorted = openSortedTests(reader);
    const parts = [by('lost'), { ...by('lost'), branch_class: 'default' as const }];
    await Promise.all(parts.map((part) => sorted('team', 'project', part, 100)));
    expect(read()).to.equal(2);
  });
});

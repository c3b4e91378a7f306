import { expect } from 'chai';
import type { TypedViews } from '../../src/projecting/typed-views.js';
import { everyTest, filteredTests, listedIn } from '../../src/queries/tests/listed-tests.js';

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

  it('of an owner on a branch are those that are listed there and are of the owner there, in every bucket', async () => {
    const TESTS = 9_000;
    const isListed = (n: number) => n % 3 !== 0;
    const ownerOf = (n: number) => (n % 5 === 0 ? null : n % 2 === 0 ? 'shop' : 'pay');
    const stateOf = (n: number) => {
      const owner = ownerOf(n);
      const owners = owner === null ? {} : { owners: [{ result_id: `result_${n}`, owner }] };
      return { verdicts: '', entries: 1, last_result_at: null, block: null, ...owners };
    };
    const numbersFrom = (first: number, count: number) => Array.from({ length: count }, (_, n) => first + n);
    const documents: Record<string, (id: string) => object | null> = {
      project_tests: () => ({ tests: TESTS, ordinals: TESTS }),
      listings(id) {
        const part = Number(/^project_1#(\d+)#=main$/.exec(id)![1]);
        const words = numbersFrom(0, 64).map((word) => numbersFrom(part * 2_048 + word * 32, 32));
        return {
          bits: words.map((word) => word.reduce((all, n, at) => (isListed(n) ? all | (1 << at) : all), 0)),
        };
      },
      branch_buckets(id) {
        const bucket = Number(/^project_1#(\d+)#=main$/.exec(id)![1]);
        return { origins: [], most: 16, states: numbersFrom(bucket * 64, 64).map(stateOf) };
      },
    };
    const views = {
      get: async ({ name }: { name: string }, ids: readonly string[]) =>
        ids.map((id) => documents[name]!(id)),
    } as unknown as Pick<TypedViews, 'get'>;
    const { among } = await listedIn(views, 'project_1', { branch: 'main' }, 'shop');
    const found = numbersFrom(0, TESTS).filter((n) => among!.digits[n] === '1');
    expect(found).to.deep.equal(numbersFrom(0, TESTS).filter((n) => isListed(n) && ownerOf(n) === 'shop'));
  });
});

import { expect } from 'chai';
import fc from 'fast-check';
import { partsOf } from '../../src/cli/shard-plan/runner-list.js';
import { shardOfList } from '../../src/client/shard-list.js';
import type { ShardPlan } from '../../src/client/shard-plan.js';

const noPlan: ShardPlan = { durations: new Map(), suites: new Map(), knownFailures: new Map() };

/** All shards of a list. */
function shardsOf(list: readonly string[], plan: ShardPlan, total: number): string[][] {
  return Array.from({ length: total }, (_, n) => shardOfList(list, plan, { index: n + 1, total }));
}

/** How the lists of six runners, one of them with two kinds of lists, name the n-th entry, and how a plan knows it. */
const runners: Readonly<
  Record<string, { entry(n: number): string; known(n: number): [kind: 'durations' | 'suites', name: string] }>
> = {
  pytest: {
    entry: (n) => `tests/shop/test_${n}.py::TestCart::test_pays[card ${n}]`,
    known: (n) => ['durations', `pytest › tests.shop.test_${n}.TestCart › test_pays[card ${n}]`],
  },
  vitest: { entry: (n) => `src/cart ${n}.test.ts`, known: (n) => ['suites', `src/cart ${n}.test.ts`] },
  jest: { entry: (n) => `/home/ci/shop/src/${n}.test.js`, known: (n) => ['suites', `src/${n}.test.js`] },
  go: { entry: (n) => `example.org/shop/p${n}`, known: (n) => ['suites', `example.org/shop/p${n}`] },
  'tests of go': {
    entry: (n) => `TestPays${n}`,
    known: (n) => ['durations', `example.org/shop/p${n % 3} › TestPays${n}`],
  },
  cypress: { entry: (n) => `./cypress/e2e/${n}.cy.ts`, known: (n) => ['suites', `cypress/e2e/${n}.cy.ts`] },
  lines: { entry: (n) => `cart › test ${n}`, known: (n) => ['durations', `cart › test ${n}`] },
};

describe('the shards of a list', () => {
  for (const [name, { entry, known }] of Object.entries(runners)) {
    it(`hold each entry once, whatever came or went since the plan was saved: ${name}`, () => {
      const edits = fc.record({
        before: fc.uniqueArray(fc.nat(120), { maxLength: 80 }),
        now: fc.array(fc.nat(120), { maxLength: 120 }),
        total: fc.integer({ min: 1, max: 12 }),
      });
      fc.assert(
        fc.property(edits, ({ before, now, total }) => {
          const plan = planOf(before.map((n) => [known(n), n * 17 + 1]));
          const list = now.map(entry);
          expect(shardsOf(list, plan, total).flat().toSorted()).to.deep.equal([...new Set(list)].toSorted());
        }),
        { numRuns: 500 },
      );
    });

    it(`take at most 1.05 of the least possible time: ${name}`, () => {
      for (const total of [2, 4, 8, 16]) {
        // Most tests are short, and a few are long.
        const msOf = (n: number) => Math.round(20 + (4_000 * ((n * 7919) % 1_000) ** 3) / 1e9);
        const all = Array.from({ length: 600 }, (_, n) => n);
        const plan = planOf(all.map((n) => [known(n), msOf(n)]));
        const byEntry = new Map(all.map((n) => [entry(n), msOf(n)]));
        const sums = shardsOf([...byEntry.keys()], plan, total).map((entries) =>
          entries.reduce((sum, each) => sum + byEntry.get(each)!, 0),
        );
        const sum = sums.reduce((one, other) => one + other, 0);
        const bound = Math.max(sum / total, ...byEntry.values());
        expect(Math.max(...sums) / bound, `${total} shards`).to.be.at.most(1.05);
      }
    });
  }

  it('hold each file of Vitest once, whatever it runs by the argument of another', () => {
    const names = fc.stringMatching(/^[aB]{1,3}(\/[aB]{1,2})?$/u);
    const lists = fc.uniqueArray(names, { minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(lists, fc.integer({ min: 2, max: 6 }), (list, total) => {
        const partOf = partsOf(list, 'vitest');
        const run = Array.from({ length: total }, (_, n) => {
          const args = shardOfList(list, noPlan, { index: n + 1, total }, partOf);
          return list.filter((file) => args.some((each) => file.toLowerCase().includes(each.toLowerCase())));
        });
        expect(run.flat().toSorted()).to.deep.equal(list.toSorted());
      }),
      { numRuns: 500 },
    );
  });

  it('have files of Vitest apart where none is a part of another', () => {
    const list = ['src/a.test.ts', 'src/b.test.ts', 'lib/src/a.test.ts'];
    const partOf = partsOf(list, 'vitest');
    const shards = [1, 2].map((index) => shardOfList(list, noPlan, { index, total: 2 }, partOf));
    expect(shards).to.deep.equal([['src/a.test.ts', 'lib/src/a.test.ts'], ['src/b.test.ts']]);
  });

  it('are equally long without a plan', () => {
    const list = Array.from({ length: 90 }, (_, n) => `test ${n}`);
    expect(shardsOf(list, noPlan, 9).map(({ length }) => length)).to.deep.equal(Array(9).fill(10));
  });
});

function planOf(known: readonly (readonly [readonly ['durations' | 'suites', string], number])[]): ShardPlan {
  const of = (kind: string) =>
    new Map(known.filter(([[each]]) => each === kind).map(([[, name], ms]) => [name, ms]));
  return { durations: of('durations'), suites: of('suites'), knownFailures: new Map() };
}

import { expect } from 'chai';
import { printedBy } from './node-script.js';

const collecting = new URL('../../src/memory/collect-when-idle.js', import.meta.url).href;
const limiting = new URL('../../src/memory/limit-heap-growth.js', import.meta.url).href;

/** The size of a heap's old pages, as a multiple of what they hold. Without compaction it is 1.4 to 3.4. */
const MOST_PAGES = 1.25;

/** What each script begins with: `forced` is the number of collections that were asked for, with the sizes after the first. */
const watching = `
const { collectWhenIdle, emptyWhenIdle } = await import(${JSON.stringify(collecting)});
const { constants, PerformanceObserver } = await import('node:perf_hooks');
const { getHeapSpaceStatistics, getHeapStatistics } = await import('node:v8');
const sizes = () => {
  const old = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'old_space');
  return { used: getHeapStatistics().used_heap_size, old: { used: old.space_used_size, pages: old.space_size } };
};
let forced = 0;
new PerformanceObserver((list) => {
  for (const { detail } of list.getEntries())
    if (detail.flags & constants.NODE_PERFORMANCE_GC_FLAGS_FORCED) forced += 1;
}).observe({ entryTypes: ['gc'] });
const until = (condition, then, ms = Infinity) => {
  const end = performance.now() + ms;
  const timer = setInterval(() => {
    if (!condition() && performance.now() < end) return;
    clearInterval(timer);
    then();
  }, 10);
};
const print = (found) => console.log(JSON.stringify(found));
`;

/** Leaves a heap with garbage, and a little that stays in each of its pages. */
const burst = `
${watching}
const held = [];
(function work() {
  const made = Array.from({ length: 800_000 }, (_, n) => ({ n, text: [n] }));
  for (let n = 0; n < made.length; n += 6) held.push(made[n]);
})();
const before = sizes();
const cache = new Map([['read', 'again']]);
emptyWhenIdle(cache);
collectWhenIdle(20);
// Pages are released beside the work of the thread. After 8 s V8 would collect by itself.
const isSmaller = () => sizes().old.pages < sizes().old.used * ${MOST_PAGES};
until(() => forced > 0, () =>
  until(isSmaller, () => print({ before, after: sizes(), held: held.length, cached: cache.size }), 5_000));
`;

/** Works for half of the time. */
const busy = `
${watching}
globalThis.made = Array.from({ length: 800_000 }, (_, n) => ({ n, text: [n] }));
globalThis.made = null;
collectWhenIdle(20);
let turns = 0;
const work = setInterval(() => {
  for (const end = performance.now() + 10; performance.now() < end;);
  turns += 1;
  if (turns < 50) return;
  clearInterval(work);
  const whileBusy = forced;
  until(() => forced > 0, () => print({ whileBusy }));
}, 20);
`;

describe('collecting garbage when idle', () => {
  // Processes of their own: the flags hold for a whole process.
  it('gives back the memory of a burst and empties caches, in the main thread and in others', async () => {
    const lines = await printedBy(`
      import { Worker } from 'node:worker_threads';
      const { limitHeapGrowth } = await import(${JSON.stringify(limiting)});
      limitHeapGrowth();
      ${burst}
      new Worker(new URL('data:text/javascript,' + encodeURIComponent(${JSON.stringify(burst)})));`);
    expect(lines).to.have.length(2);
    type Sizes = { used: number; old: { used: number; pages: number } };
    type Printed = { before: Sizes; after: Sizes; held: number; cached: number };
    for (const { before, after, held, cached } of lines as Printed[]) {
      expect(held).to.equal(133_334);
      expect(cached).to.equal(0);
      expect(after.used, 'garbage').to.be.below(before.used / 2);
      expect(after.old.pages, 'pages').to.be.below(after.old.used * MOST_PAGES);
    }
  });

  it('begins only when the work of the thread has ended', async () => {
    expect(await printedBy(busy)).to.deep.equal([{ whileBusy: 0 }]);
  });
});

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect } from 'chai';

const collecting = new URL('../../src/memory/collect-when-idle.js', import.meta.url).href;
const limiting = new URL('../../src/memory/limit-heap-growth.js', import.meta.url).href;

/** Leaves a heap with a little in each page, and prints its size before and after the idle thread has collected. */
const burst = `
const { collectWhenIdle } = await import(${JSON.stringify(collecting)});
const { getHeapStatistics } = await import('node:v8');
const size = () => getHeapStatistics().total_heap_size;
const held = [];
function work() {
  const made = Array.from({ length: 800_000 }, (_, n) => ({ n, text: [n] }));
  for (let n = 0; n < made.length; n += 100) held.push(made[n]);
}
work();
const before = size();
collectWhenIdle(20);
const end = Date.now() + 10_000;
const look = setInterval(() => {
  if (size() > before / 2 && Date.now() < end) return;
  clearInterval(look);
  console.log(JSON.stringify({ before, after: size(), held: held.length }));
}, 20);
`;

/** Works for half of the time, and prints how often a collection was asked for meanwhile. */
const busy = `
const { collectWhenIdle } = await import(${JSON.stringify(collecting)});
const { constants, PerformanceObserver } = await import('node:perf_hooks');
let forced = 0;
new PerformanceObserver((list) => {
  for (const { detail } of list.getEntries())
    if (detail.flags & constants.NODE_PERFORMANCE_GC_FLAGS_FORCED) forced += 1;
}).observe({ entryTypes: ['gc'] });
globalThis.made = Array.from({ length: 800_000 }, (_, n) => ({ n, text: [n] }));
globalThis.made = null;
collectWhenIdle(20);
let turns = 0;
const work = setInterval(() => {
  for (const end = performance.now() + 10; performance.now() < end;);
  turns += 1;
  if (turns < 50) return;
  clearInterval(work);
  const inBusyTime = forced;
  const idle = setInterval(() => {
    if (forced === 0) return;
    clearInterval(idle);
    console.log(JSON.stringify({ inBusyTime }));
  }, 20);
}, 20);
`;

describe('collections of idle threads', () => {
  // Processes of their own: the flags hold for a whole process.
  it('gives back the memory of a burst once a thread is idle, also in threads', async () => {
    const lines = await printed(`
      import { Worker } from 'node:worker_threads';
      const { limitHeapGrowth } = await import(${JSON.stringify(limiting)});
      limitHeapGrowth();
      ${burst}
      new Worker(new URL('data:text/javascript,' + encodeURIComponent(${JSON.stringify(burst)})));`);
    expect(lines).to.have.length(2);
    for (const { before, after, held } of lines as { before: number; after: number; held: number }[]) {
      expect(held).to.equal(8_000);
      expect(after).to.be.below(before / 2);
    }
  });

  it('leaves a thread that works alone, and collects when it has ended', async () => {
    expect(await printed(busy)).to.deep.equal([{ inBusyTime: 0 }]);
  });
});

async function printed(script: string): Promise<unknown[]> {
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script]);
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);
}

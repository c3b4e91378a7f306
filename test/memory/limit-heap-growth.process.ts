import { expect } from 'chai';
import { printedBy } from './node-script.js';

const limiting = new URL('../../src/memory/limit-heap-growth.js', import.meta.url).href;

/** Holds objects, replaces the oldest ones again and again, and prints how far the heap grew: 1 for what it holds. */
const replacing = `
const held = Array.from({ length: 500_000 }, (_, n) => ({ n, text: [n] }));
gc();
const holds = process.memoryUsage().heapUsed;
let highest = 0;
for (let n = 0; n < 5_000_000; n += 1) {
  held[n % held.length] = { n, text: [n] };
  if (n % 10_000 === 0) highest = Math.max(highest, process.memoryUsage().heapUsed);
}
console.log(highest / holds);
`;

describe('limited growth of heaps', () => {
  // A process of its own, because the limit holds for a whole process and does not end.
  it('collects garbage earlier than V8 does by itself, also in threads', async () => {
    const thread = `new Worker(${JSON.stringify(replacing)}, { eval: true })`;
    const script = `
      import { Worker } from 'node:worker_threads';
      const { limitHeapGrowth } = await import(${JSON.stringify(limiting)});
      limitHeapGrowth();
      ${replacing}
      ${thread};`;
    const grown = (await printedBy(script, '--expose-gc')) as number[];
    // 4.5 with Node 20, 5.2 with Node 24, and more beside other work, as with the limit.
    const [byItself] = (await printedBy(replacing, '--expose-gc')) as number[];
    expect(grown).to.have.length(2);
    for (const factor of grown) expect(factor).to.be.within(1, byItself! - 0.5);
  });
});

import { expect } from 'chai';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { freeBuffers } from '../../src/memory/free-buffers.js';
import { used } from '../used-memory.js';

const MIB = 2 ** 20;

describe('buffers that are freed', () => {
  const held = () => process.memoryUsage().arrayBuffers;

  it('give their memory back at once, without a garbage collection', async () => {
    // Buffers that others left here might be collected in between, and count as given back.
    await used();
    const before = held();
    const buffers = Array.from({ length: 20 }, () => Buffer.allocUnsafeSlow(MIB).buffer);
    expect(held() - before).to.be.at.least(20 * MIB);
    freeBuffers(buffers);
    expect(held() - before).to.be.below(MIB);
    expect(buffers.map(({ byteLength }) => byteLength)).to.deep.equal(Array(20).fill(0));
  });

  it('may be freed twice, or have gone to another thread before', () => {
    const [freed, gone] = [new ArrayBuffer(MIB), new ArrayBuffer(MIB)];
    freeBuffers([freed]);
    structuredClone(null, { transfer: [gone] });
    const kept = new ArrayBuffer(MIB);
    freeBuffers([freed, gone, kept]);
    expect(kept.byteLength).to.equal(0);
  });

  it('keep no process running', async () => {
    const module = new URL('../../src/memory/free-buffers.js', import.meta.url).href;
    const program = `import { freeBuffers } from '${module}'; freeBuffers([new ArrayBuffer(${MIB})]);`;
    await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program], { timeout: 100_000 });
  });
});

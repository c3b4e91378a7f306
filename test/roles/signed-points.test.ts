import { expect } from 'chai';
import type { TakenPoints } from '../../src/concurrency/shared-points.js';
import { signedPoints } from '../../src/roles/signed-points.js';

describe('points that servers tell each other of', () => {
  const [key, otherKey] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
  const taken: TakenPoints = [['requests', 'key_1', 5]];

  it('are read by a server with the same key, in order', () => {
    const [one, two, other] = [signedPoints(key), signedPoints(key), signedPoints(key)];
    expect(other.read(one.write(taken))).to.deep.equal(taken);
    expect(other.read(two.write(taken))).to.deep.equal(taken);
    expect(other.read(one.write([]))).to.deep.equal([]);
  });

  it('are nothing where they come again, or out of order', () => {
    const [one, other] = [signedPoints(key), signedPoints(key)];
    const [first, second] = [one.write(taken), one.write(taken)];
    expect(other.read(second)).to.deep.equal(taken);
    expect(other.read(first)).to.deep.equal([]);
    expect(other.read(second)).to.deep.equal([]);
  });

  it('are nothing where another program has sent or changed them', () => {
    const written = signedPoints(key).write(taken);
    const changed = Buffer.from(written);
    changed[changed.length - 4] = 0x39;
    const forged = Buffer.from(JSON.stringify(['server', 1, [['requests', 'key_1', -1_000_000]]]));
    for (const data of [
      changed,
      written.subarray(0, 40),
      written.subarray(32),
      signedPoints(otherKey).write(taken),
      forged,
      Buffer.from('[["requests","key_1",-1000000]]'),
      Buffer.from('x'),
      Buffer.alloc(0),
    ]) {
      expect(signedPoints(key).read(data)).to.deep.equal([]);
    }
  });
});

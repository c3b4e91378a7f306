import { expect } from 'chai';
import { hash } from 'node:crypto';
import { digestTable } from '../../src/importers/digest-table.js';

describe('importers: a table of digests', () => {
  const digestOf = (n: number) => hash('sha1', `name ${n}`, 'binary');
  const numberOf = (n: number) => (n % 2 === 0 ? 1 : -1) * ((n % 1_000) + 1);

  it('keeps the number of each of many digests while it grows, and knows no others', () => {
    const { get, set } = digestTable();
    for (let n = 0; n < 50_000; n += 1) set(digestOf(n), numberOf(n));
    const wrong = Array.from({ length: 60_000 }, (_, n) => n).filter(
      (n) => get(digestOf(n)) !== (n < 50_000 ? numberOf(n) : 0),
    );
    expect(wrong).to.deep.equal([]);
  });

  it('tells digests from each other that begin in the same slot', () => {
    const { get, set } = digestTable();
    const digests = ['a', 'b', 'c'].map((end) => `\u0000\u0000\u0000\u0000\u0000\u00ff\u0000${end}`);
    for (const [n, digest] of digests.entries()) set(digest, n + 1);
    set(digests[1]!, -7);
    expect(digests.map(get)).to.deep.equal([1, -7, 3]);
  });
});

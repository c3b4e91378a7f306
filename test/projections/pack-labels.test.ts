import { expect } from 'chai';
import { labelAt, withLabels, type Labelled } from '../../projections/records/pack-labels.js';
import type { ItemChunk } from '../../src/domain/runs/item-chunk.js';

type Metadata = Record<string, unknown> | null;

const chunkOf = (metadata: Metadata | Metadata[]) => ({ metadata }) as unknown as ItemChunk;
const all = (metadata: Metadata[], former?: Labelled['labels'], at = 0) =>
  withLabels(former, chunkOf(metadata), { at, from: 0, to: metadata.length }).labels;

describe('the labels of a pack', () => {
  it('say the owner and the tags of each result, also of later parts of the pack', () => {
    const former = all([null, { owner: '@shop' }, { tags: ['slow', 'cart'] }, { owner: 7, tags: 'slow' }]);
    const labels = all([{ owner: '@shop' }, null], former, 10)!;
    expect(Array.from({ length: 13 }, (_, n) => labelAt(labels, n))).to.deep.equal([
      [null],
      ['@shop'],
      [null, 'slow', 'cart'],
      ...Array.from({ length: 7 }, () => [null]),
      ['@shop'],
      [null],
      [null],
    ]);
    expect(labels.sets).to.have.length(3);
  });

  it('are absent where no result has an owner or a tag', () => {
    expect(withLabels(undefined, chunkOf({ browser: 'firefox' }), { at: 0, from: 0, to: 500 })).to.deep.equal(
      {},
    );
  });

  it('tell an owner from a tag, and texts with commas and quotes from several tags', () => {
    const labels = all([
      { owner: 'a' },
      { tags: ['a'] },
      { tags: ['a","b'] },
      { tags: ['a', 'b'] },
      { owner: '' },
    ])!;
    expect([0, 1, 2, 3, 4].map((n) => labelAt(labels, n))).to.deep.equal([
      ['a'],
      [null, 'a'],
      [null, 'a","b'],
      [null, 'a', 'b'],
      [''],
    ]);
  });

  it('are not kept where a pack would have more than 4,000 characters of them, nor for the rest of the pack', () => {
    const long = Array.from({ length: 200 }, (_, n) => ({ owner: `team ${n}`.padEnd(60) }));
    expect(all(long)).to.equal(null);
    expect(all([{ owner: '@shop' }], null, 200)).to.equal(null);
    expect(all(Array(500).fill(long[0]))!.sets).to.have.length(2);
  });
});

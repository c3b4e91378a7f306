import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import { expect } from 'chai';
import fc from 'fast-check';
import { itemsHash } from '../../src/commands/items-hash.js';
import type { SubmittedItem } from '../../src/commands/submission.js';

const someItems: fc.Arbitrary<SubmittedItem[]> = fc.array(
  fc.record(
    {
      test_name: fc.string({ unit: 'binary' }),
      status: fc.constantFrom('Passed', 'Failed', 'Skipped'),
      error_message: fc.option(fc.string({ unit: 'grapheme' })),
      metadata: fc.option(fc.dictionary(fc.string(), fc.jsonValue())),
      started_at: fc.option(fc.constant('2026-05-04T03:02:01.000Z')),
      execution_time_ms: fc.option(fc.nat()),
      attempt: fc.integer({ min: 1, max: 9 }),
      finished_at: fc.option(fc.constant('2026-05-04T03:02:02.000Z')),
    },
    {
      requiredKeys: [
        'test_name',
        'status',
        'error_message',
        'metadata',
        'started_at',
        'execution_time_ms',
        'attempt',
      ],
    },
  ),
);

describe('itemsHash', () => {
  it('is the hash of the items as canonical JSON (RFC 8785), a line for each', () => {
    fc.assert(
      fc.property(someItems, (some) => {
        const text = some.map((item) => `${canonicalize(item)}\n`).join('');
        expect(hashOf(some)).to.equal(createHash('sha256').update(text).digest('hex'));
      }),
    );
  });

  it('returns each item as JSON, with the names of its metadata in the order in which they were sent', () => {
    fc.assert(
      fc.property(someItems, (some) => {
        const hash = itemsHash();
        for (const item of some) {
          const read = JSON.parse(hash.add(item)) as SubmittedItem;
          expect(read).to.deep.equal(JSON.parse(JSON.stringify(item)));
          expect(JSON.stringify(read.metadata)).to.equal(JSON.stringify(item.metadata));
        }
      }),
    );
  });

  it('does not depend on the order of names at any depth of metadata', () => {
    const one = item({ b: [{ y: 1, x: { d: 1, c: 2 } }], a: 1 });
    const other = item({ a: 1, b: [{ x: { c: 2, d: 1 }, y: 1 }] });
    expect(hashOf([one])).to.equal(hashOf([other]));
    expect(hashOf([one])).not.to.equal(hashOf([item({ a: 2, b: [{ x: { c: 2, d: 1 }, y: 1 }] })]));
  });
});

function item(metadata: SubmittedItem['metadata']): SubmittedItem {
  return {
    test_name: 'adds up',
    status: 'Passed',
    error_message: null,
    metadata,
    started_at: null,
    execution_time_ms: null,
    attempt: 1,
  };
}

function hashOf(some: readonly SubmittedItem[]): string {
  const hash = itemsHash();
  for (const each of some) hash.add(each);
  return hash.digest();
}

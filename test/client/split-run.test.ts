import { expect } from 'chai';
import { splitRun } from '../../src/client/split-run.js';
import type { SubmitItem } from '../../src/client/index.js';
import { limits } from '../../src/limits.js';

describe('a run split over calls', () => {
  const most = limits.itemsPerSubmission;
  const items = (count: number): SubmitItem[] =>
    Array.from({ length: count }, (_, n) => ({ name: `test ${n}`, status: 'passed' }));
  const sizes = (results: readonly SubmitItem[]) => splitRun(results).map(({ places }) => places.length);

  it('is one call up to the limit of results, also without any', () => {
    expect(sizes([])).to.deep.equal([0]);
    expect(sizes(items(most))).to.deep.equal([most]);
    expect(sizes(items(most + 1))).to.deep.equal([most, 1]);
  });

  it('has each result once, in its order', () => {
    const count = 2 * most + 7;
    const places = splitRun(items(count)).flatMap((part) => part.places);
    expect(places).to.deep.equal(Array.from({ length: count }, (_, n) => n));
  });

  it('keeps each call below the limit of bytes', () => {
    const metadata = { log: 'x'.repeat(60_000) };
    const parts = splitRun(items(1_500).map((item) => ({ ...item, metadata })));
    expect(parts).to.have.length(3);
    for (const { bytes } of parts) expect(bytes).to.be.below(limits.submissionBytes - limits.bodyBytes);
  });

  it('keeps the results of a retried test together, and splits results of one name that are no retries', () => {
    const retried = items(most + 1);
    retried[most] = { name: 'test 0', status: 'passed', attempt: 2 };
    expect(splitRun(retried)[0]!.places.slice(0, 3)).to.deep.equal([0, most, 1]);
    const same = items(most + 1).map((item) => ({ ...item, name: 'one name' }));
    expect(sizes(same)).to.deep.equal([most, 1]);
  });

  it('is an error for retries of one test that do not fit into a call', () => {
    const results = items(most + 1).map((item, n) => ({ ...item, name: 'one name', attempt: (n % 2) + 1 }));
    expect(() => splitRun(results))
      .to.throw('do not fit')
      .with.property('code', 'invalid_call');
  });
});

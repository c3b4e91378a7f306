import { expect } from 'chai';
import { added, moved, noCounts, outcomeOf, removed, type Counts } from '../../src/domain/counts.js';
import { resultStatuses } from '../../src/domain/results/result.js';

const fields = ['pending', 'running', 'passed', 'failed', 'skipped', 'known_fail'] as const;

describe('the outcome of a run', () => {
  it('is failed with any failed, else passed with any passed or known_fail, else skipped with any skipped', () => {
    // Every combination of present and absent statuses.
    for (let present = 0; present < 2 ** fields.length; present += 1) {
      const names = fields.filter((_, bit) => (present >> bit) % 2 === 1);
      const counts: Counts = { ...noCounts, total: names.length };
      for (const name of names) counts[name] = 1;
      const has = (...wanted: string[]) => names.some((name) => wanted.includes(name));
      const rest = has('skipped') ? 'skipped' : null;
      const expected = has('failed') ? 'failed' : has('passed', 'known_fail') ? 'passed' : rest;
      expect(outcomeOf(counts), names.join()).to.equal(expected);
    }
  });
});

describe('counts', () => {
  it('have one field per status, and the total', () => {
    resultStatuses.forEach((status, n) => {
      const counts = added(noCounts, status);
      expect(counts).to.deep.equal({ ...noCounts, total: 1, [fields[n]!]: 1 });
      expect(removed(counts, status)).to.deep.equal(noCounts);
    });
  });

  it('keep their total when a result changes its status, and stay the same when it does not', () => {
    for (const from of resultStatuses) {
      for (const to of resultStatuses) {
        const counts = added(added(noCounts, from), 'Passed');
        expect(moved(counts, from, to)).to.deep.equal(added(added(noCounts, to), 'Passed'));
      }
    }
  });
});

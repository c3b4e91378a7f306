import { expect } from 'chai';
import fc from 'fast-check';
import { instant } from '../src/clock.js';

describe('an instant', () => {
  const written = (at: Date) => instant(() => at);

  it('is the time in UTC to the millisecond, whatever was asked for before', () => {
    const valid = fc.date({ noInvalidDate: true });
    const after = fc.integer({ min: -2_000, max: 2_000 });
    fc.assert(
      fc.property(valid, after, (at, milliseconds) => {
        const later = new Date(at.getTime() + milliseconds);
        expect(written(at)).to.equal(at.toISOString());
        if (!Number.isNaN(later.getTime())) expect(written(later)).to.equal(later.toISOString());
      }),
    );
  });

  it('is right around the turn of a second, also before 1970', () => {
    for (const at of [0, -1, -999, -1_000, -1_001, 999, 1_000, 1_764_083_714_999, 1_764_083_715_000]) {
      expect(written(new Date(at))).to.equal(new Date(at).toISOString());
    }
  });
});

import { expect } from 'chai';
import { openMongoState } from '../../../src/adapters/mongodb/state.js';
import { instant } from '../../contract/state/subject.js';
import { withDatabase } from '../../kit/store-urls.js';
import { emptyDatabase } from './database.js';
import { plansOf, slow } from './plans.js';

describe('the plans of MongoDB for the state', function () {
  it('use an index for every read and write', async () => {
    const { url, drop } = await emptyDatabase();
    const state = openMongoState({ url, now: () => instant(5) });
    try {
      await state.put('kind', 'first', 1, { expected: 'any' });
      const name = new URL(url).pathname.slice(1);
      const plans = await plansOf(withDatabase(url, `${name}_state`), async () => {
        const version = await state.put('kind', 'key', 1, { expected: 'absent', expiresAt: instant(9) });
        await state.put('kind', 'key', 1, { expected: 'absent' });
        await state.put('kind', 'key', 2, { expected: version ?? 0, expiresAt: instant(6) });
        await state.put('kind', 'other', 2, { expected: 'any', expiresAt: instant(1) });
        await state.get('kind', 'key');
        await state.list('kind', { after: 'a', limit: 3 });
        await state.purge(instant(3), 10);
        await state.remove('kind', 'key', 'any');
      });
      expect(plans.length).to.be.greaterThan(7);
      expect(slow(plans)).to.deep.equal([]);
    } finally {
      await state.close();
      await drop();
    }
  });
});

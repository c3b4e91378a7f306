import { expect } from 'chai';
import fc from 'fast-check';
import { fromUUID } from 'typeid-js';
import { eventId } from '../../../src/core/replay/event-id.js';

describe('the id of an event', () => {
  it('is the TypeID of its UUID, whatever that is', () => {
    const is = (uuid: string): void => {
      expect(eventId(uuid)).to.equal(fromUUID(uuid, 'event'));
    };
    is('00000000-0000-0000-0000-000000000000');
    is('ffffffff-ffff-ffff-ffff-ffffffffffff');
    fc.assert(fc.property(fc.uuid(), is), { numRuns: 1_000 });
  });
});

import { expect } from 'chai';
import { oneClient } from '../../src/people/client.js';

describe('an address', () => {
  it('is one client with all others of its /64 of IPv6, and in IPv4 alone', () => {
    const counted = (...addresses: string[]) => new Set(addresses.map(oneClient)).size;
    expect(counted('2001:db8:0:1::1', '2001:db8:0:1:ffff::2')).to.equal(1);
    expect(counted('2001:db8:0:1::1', '2001:db8:0:2::1')).to.equal(2);
    expect(counted('192.0.2.1', '192.0.2.2')).to.equal(2);
    expect(counted('192.0.2.1', '::ffff:192.0.2.1')).to.equal(1);
  });
});

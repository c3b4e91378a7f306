import { expect } from 'chai';
import { clientOf, oneClient } from '../../src/people/client.js';

describe('an address', () => {
  it('is one client with all others of its /64 of IPv6, and in IPv4 alone', () => {
    const counted = (...addresses: string[]) => new Set(addresses.map(oneClient)).size;
    expect(counted('2001:db8:0:1::1', '2001:db8:0:1:ffff::2')).to.equal(1);
    expect(counted('2001:db8:0:1::1', '2001:db8:0:2::1')).to.equal(2);
    expect(counted('192.0.2.1', '192.0.2.2')).to.equal(2);
    expect(counted('192.0.2.1', '::ffff:192.0.2.1')).to.equal(1);
  });
});

describe('where somebody comes from', () => {
  it('is a /24 of IPv4 or a /48 of IPv6, and a family of programs', () => {
    const chrome = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/130.0 Safari/537.36';
    expect(clientOf('192.0.2.77', chrome)).to.deep.equal({
      network: '192.0.2.0/24',
      agent: 'Chrome on Linux',
    });
    expect(clientOf('2001:db8:1:2::3', 'testledger-cli/0.1.0').agent).to.equal('testledger');
    expect(clientOf('2001:db8:1:2::3', 'curl/8.5.0')).to.deep.equal({
      network: '2001:db8:1::/48',
      agent: 'curl',
    });
    expect(clientOf('not an address', '').agent).to.equal('another program');
  });
});

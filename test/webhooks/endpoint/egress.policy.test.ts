import { expect } from 'chai';
import * as fc from 'fast-check';
import { isAllowed } from '../../../src/webhooks/endpoint/egress.js';

const v4 = fc.ipV4();

describe('the address of an endpoint', () => {
  const publicOnes = [
    ['1.1.1.1', '8.8.8.8', '93.184.216.34', '172.15.255.255', '172.32.0.0', '100.63.255.255', '100.128.0.0'],
    ['169.253.255.255', '192.167.255.255', '198.17.255.255', '198.20.0.0', '223.255.255.255', '11.0.0.0'],
    ['2606:4700:4700::1111', '2a00:1450:4001:80b::200e', '2001:4860:4860::8888'],
    // Public addresses in IPv6 forms, and behind NAT64.
    ['::ffff:8.8.8.8', '::ffff:808:808', '64:ff9b::8.8.8.8', '64:ff9b::808:808'],
  ].flat();
  for (const address of publicOnes) {
    it(`may be ${address}`, () => expect(isAllowed(address, [])).to.equal(true));
  }

  const refused: Record<string, string[]> = {
    'this host': ['0.0.0.0', '0.1.2.3', '::'],
    loopback: ['127.0.0.1', '127.255.255.255', '::1'],
    private: ['10.0.0.1', '10.255.255.255', '172.16.0.1', '172.31.255.255', '192.168.0.1', '192.168.255.255'],
    'shared by a carrier': ['100.64.0.1', '100.127.255.255'],
    'link-local': ['169.254.0.1', 'fe80::1', 'fe80::1%eth0', 'febf::1'],
    'metadata of a cloud': [
      '169.254.169.254',
      '100.100.100.200',
      '192.0.0.192',
      'fd00:ec2::254',
      '168.63.129.16',
    ],
    'of a protocol': ['192.0.0.1', '192.88.99.1', '192.31.196.1', '192.52.193.1', '192.175.48.1'],
    'for documentation': ['192.0.2.1', '198.51.100.1', '203.0.113.1', '2001:db8::1', '3fff::1'],
    'for benchmarks': ['198.18.0.1', '198.19.255.255', '2001:2::1'],
    multicast: ['224.0.0.1', '239.255.255.255', 'ff02::1', 'ff0e::1'],
    'reserved or broadcast': ['240.0.0.1', '254.1.2.3', '255.255.255.255'],
    'unique local': ['fc00::1', 'fd12:3456:789a::1'],
    'site-local': ['fec0::1'],
    'allocated to no network': ['100::1', '4000::1', '1::1', '5f00::1', 'e000::1'],
    'IPv4-mapped': ['::ffff:127.0.0.1', '::ffff:7f00:1', '::ffff:10.0.0.1', '::ffff:169.254.169.254'],
    'IPv4-mapped, written out': ['0:0:0:0:0:ffff:7f00:0001', '0000:0000:0000:0000:0000:FFFF:0A00:0001'],
    'IPv4-compatible': ['::127.0.0.1', '::10.0.0.1', '::8.8.8.8', '::7f00:1'],
    'IPv4-translated': ['::ffff:0:127.0.0.1', '::ffff:0:8.8.8.8'],
    '6to4': ['2002:7f00:1::', '2002:a00:1::1', '2002:808:808::1'],
    Teredo: ['2001::1', '2001:0:4136:e378:8000:63bf:3fff:fdd2', '2001:0:7f00:1::'],
    NAT64: ['64:ff9b::127.0.0.1', '64:ff9b::10.0.0.1', '64:ff9b::a9fe:a9fe', '64:ff9b::6440:1'],
    'NAT64 of one’s own': ['64:ff9b:1::127.0.0.1', '64:ff9b:1::8.8.8.8', '64:ff9b:1:a00:0:100::'],
  };
  for (const [kind, addresses] of Object.entries(refused)) {
    it(`is not ${kind}: ${addresses.join(', ')}`, () => {
      for (const address of addresses) expect(isAllowed(address, []), address).to.equal(false);
    });
  }

  it('is a whole address: no name, and no other spelling', () => {
    const texts = [
      '',
      'example.org',
      'localhost',
      '2130706433',
      '0x7f000001',
      '0177.0.0.1',
      '127.1',
      '8.8.8',
    ];
    const more = ['8.8.8.8:80', '[2606:4700::1]', ' 8.8.8.8', '8.8.8.8/32', '1.1.1.1.', '::g', '08.8.8.8'];
    for (const text of [...texts, ...more])
      expect(isAllowed(text, ['0.0.0.0/0', '::/0']), text).to.equal(false);
  });

  it('is judged the same plain, mapped into IPv6 and behind NAT64', () => {
    fc.assert(
      fc.property(v4, (address) => {
        const plain = isAllowed(address, []);
        expect(isAllowed(`::ffff:${address}`, []), 'mapped').to.equal(plain);
        expect(isAllowed(`64:ff9b::${address}`, []), 'translated').to.equal(plain);
      }),
    );
  });

  it('is opened by WEBHOOK_ALLOW, in both spellings of IPv4, and no other address with it', () => {
    const allow = ['10.1.0.0/16', 'fd00::/8', '127.0.0.1/32'];
    const opened = ['10.1.2.3', '::ffff:10.1.2.3', 'fd00:ec2::254', '127.0.0.1', '::ffff:127.0.0.1'];
    for (const address of opened) expect(isAllowed(address, allow), address).to.equal(true);
    const closed = [
      '10.2.0.1',
      '127.0.0.2',
      '::1',
      '64:ff9b::10.1.2.3',
      '::10.1.2.3',
      '2002:a01:203::',
      'fc00::1',
    ];
    for (const address of closed) expect(isAllowed(address, allow), address).to.equal(false);
    expect(isAllowed('::ffff:10.1.2.3', ['::ffff:10.0.0.0/104'])).to.equal(true);
    expect(isAllowed('64:ff9b:1::10.1.2.3', ['64:ff9b:1::/48'])).to.equal(true);
    expect(isAllowed('8.8.8.8', allow), 'public').to.equal(true);
  });
});

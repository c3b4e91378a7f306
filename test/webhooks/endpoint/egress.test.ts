import { expect } from 'chai';
import type { LookupAddress } from 'node:dns';
import { openPost } from '../../../src/webhooks/delivery/post.js';
import { isOwnFault } from '../../../src/webhooks/delivery/failures.js';
import { openEndpoint, type Endpoint } from '../delivery/endpoint.js';

const requestTo = (url: string, { team = 'team_1', signal = new AbortController().signal } = {}) => ({
  team,
  url,
  headers: {},
  body: 'x',
  at: new Date(),
  signal,
  mayBegin: () => true,
});

describe('the egress of webhooks', () => {
  let v4: Endpoint;
  let v6: Endpoint;
  let posts: { close(): void }[];
  before(async () => {
    v4 = await openEndpoint(undefined, { host: '0.0.0.0' });
    v6 = await openEndpoint(undefined, { host: '::1' });
  });
  after(() => Promise.all([v4.close(), v6.close()]));
  beforeEach(() => void (posts = []));
  afterEach(() => {
    for (const post of posts) post.close();
    expect(v4.connections() + v6.connections(), 'connections that were made').to.equal(made);
  });
  let made = 0;

  /** `names`: the answers for each name, one after the other. */
  const sender = (allow: string[] = [], names: Record<string, string[][]> = {}) => {
    const asked: string[] = [];
    const resolve = async (name: string): Promise<LookupAddress[]> => {
      asked.push(name);
      const answers = names[name] ?? [[]];
      const addresses = (answers.length > 1 ? answers.shift() : answers[0]) ?? [];
      return addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
    };
    const refused: string[] = [];
    const opened = openPost({
      allow,
      resolve,
      refused: (address, name) => void refused.push(`${name}: ${address}`),
    });
    posts.push(opened);
    const post = (url: string) => opened.post(requestTo(url));
    return { post, asked, refused };
  };

  const hosts: Record<string, string> = {
    loopback: '127.0.0.1',
    'loopback, further on': '127.8.9.10',
    'loopback, decimal': '2130706433',
    'loopback, octal': '0177.0.0.1',
    'loopback, hexadecimal': '0x7f000001',
    'loopback, short': '127.1',
    'loopback with a dot': '127.0.0.1.',
    'this host': '0.0.0.0',
    'this host, short': '0',
    'loopback of IPv6': '[::1]',
    'loopback of IPv6, at length': '[0:0:0:0:0:0:0:1]',
    'this host of IPv6': '[::]',
    'IPv4-mapped': '[::ffff:127.0.0.1]',
    'IPv4-mapped, hexadecimal': '[::ffff:7f00:1]',
    'IPv4-compatible': '[::127.0.0.1]',
    'behind NAT64': '[64:ff9b::7f00:1]',
    '6to4': '[2002:7f00:1::]',
    'digits of another script': '１２７.0.0.1',
    'dots of another script': '127。0。0。1',
    'metadata of a cloud': '169.254.169.254',
    private: '10.0.0.1',
    'link-local of IPv6': '[fe80::1]',
    'unique local': '[fd00::1]',
  };
  for (const [what, host] of Object.entries(hosts)) {
    it(`does not connect to an address that is ${what}: ${host}`, async () => {
      for (const { port } of [v4, v6]) {
        for (const scheme of ['http', 'https']) {
          const { post, asked } = sender();
          const posted = await post(`${scheme}://${host}:${port}/`);
          expect(posted.status).to.equal(null);
          if (asked.length === 0) expect(posted.error).to.equal('address not allowed');
        }
      }
    });
  }

  it('does not connect to a name with such an address among others, and shows the address only to the operator', async () => {
    const inner = ['127.0.0.1', '::1', '10.0.0.1', '169.254.169.254', '::ffff:127.0.0.1', 'fe80::1%lo'];
    for (const address of inner) {
      for (const answer of [
        [address],
        [address, '93.184.216.34'],
        ['93.184.216.34', '2606:4700::1', address],
      ]) {
        const { post, asked, refused } = sender([], { 'inner.test': [answer] });
        const posted = await post(`http://inner.test:${v4.port}/`);
        expect(posted).to.include({ status: null, error: 'address not allowed' });
        expect(refused).to.deep.equal([`inner.test: ${address}`]);
        expect(asked).to.deep.equal(['inner.test']);
      }
    }
  });

  it('judges the address of the connection itself, even if the name changes its answer', async () => {
    const names = { 'rebinding.test': [['127.0.0.1'], ['127.0.0.2'], ['127.0.0.1']] };
    const { post, asked } = sender(['127.0.0.1/32'], names);
    const url = `http://rebinding.test:${v4.port}/`;
    made += 1;
    expect((await post(url)).error).to.equal(null);
    // An open connection keeps its address.
    expect((await post(url)).error).to.equal(null);
    expect(asked).to.have.length(1);
    const again = sender(['127.0.0.1/32'], { 'rebinding.test': [['127.0.0.2'], ['127.0.0.1']] });
    expect((await again.post(url)).error).to.equal('address not allowed');
    made += 1;
    expect((await again.post(url)).error).to.equal(null);
    expect(again.asked).to.have.length(2);
  });

  it('opens the ranges of the own network, and nothing else', async () => {
    const { post } = sender(['127.0.0.1/32', '::1/128'], { 'own.test': [['127.0.0.1']] });
    made += 2;
    expect((await post(`http://own.test:${v4.port}/`)).status).to.equal(204);
    expect((await post(v6.url)).status).to.equal(204);
    expect((await post(`http://127.0.0.2:${v4.port}/`)).error).to.equal('address not allowed');
  });

  it('reports a name without an address', async () => {
    expect((await sender().post('http://none.test/')).error).to.equal('name not found: none.test');
  });

  it('waits for at most five seconds for the address of a name', async () => {
    const { post, close } = openPost({ allow: [], resolve: () => new Promise(() => undefined) });
    const began = performance.now();
    const posted = await post(requestTo('http://silent.test/'));
    expect(posted).to.include({ status: null, error: 'name could not be looked up' });
    expect(performance.now() - began).to.be.within(4_900, 6_500);
    close();
  }).timeout(10_000);

  for (const code of ['EMFILE', 'ENFILE', 'ENOBUFS', 'EADDRNOTAVAIL'] as const) {
    it(`makes no attempt if this machine has run out: ${code}`, async () => {
      const want = Object.assign(new Error(code), { code, address: '93.184.216.34' });
      const { post, close } = openPost({ allow: [], resolve: () => Promise.reject(want) });
      const posted = post(requestTo('http://any.test/'));
      const fault = await posted.catch((error: unknown) => error);
      expect(fault).to.equal(want);
      close();
    });
  }

  it('shares one look-up of a name among all attempts', async () => {
    const { post, asked } = sender(['127.0.0.0/8'], { 'slow.test': [['127.0.0.1']] });
    made += 8;
    const all = await Promise.all(Array.from({ length: 8 }, () => post(`http://slow.test:${v4.port}/`)));
    expect(all.map(({ status }) => status)).to.deep.equal(Array.from({ length: 8 }, () => 204));
    expect(asked).to.deep.equal(['slow.test']);
  });

  it('makes a look-up for a team whatever the look-ups of another one do, and one without a place counts for nothing', async () => {
    const silent = (name: string): Promise<LookupAddress[]> =>
      name === 'good.test'
        ? Promise.resolve([{ address: '127.0.0.1', family: 4 }])
        : new Promise(() => undefined);
    const opened = openPost({
      allow: ['127.0.0.0/8'],
      resolve: silent,
      lookUps: { atOnce: 6, perTeam: 3 },
    });
    posts.push(opened);
    const abort = new AbortController();
    const post = (team: string, name: string) =>
      opened.post(requestTo(`http://${name}:${v4.port}/`, { team, signal: abort.signal }));
    const hanging = Array.from({ length: 3 }, (_, n) => post('one', `silent${n}.test`).catch(() => null));
    const began = performance.now();
    const withoutPlace = post('one', 'good.test').catch((error: unknown) => error);
    made += 1;
    expect((await post('other', 'good.test')).status).to.equal(204);
    expect(performance.now() - began).to.be.lessThan(1_000);
    expect(isOwnFault(await withoutPlace)).to.equal(true);
    abort.abort();
    await Promise.all(hanging);
  }).timeout(10_000);
});

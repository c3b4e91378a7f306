import { expect } from 'chai';
import { clientAddress } from '../../src/http/client-address.js';

describe('the address of a client', () => {
  const from = (remoteAddress: string, forwarded: string | undefined, trusted: string[] = []) =>
    clientAddress({ headers: { 'x-forwarded-for': forwarded }, socket: { remoteAddress } }, trusted);

  it('is that of the connection where no proxy is trusted, whatever the request says', () => {
    expect(from('192.0.2.7', '198.51.100.1')).to.equal('192.0.2.7');
    expect(from('192.0.2.7', '198.51.100.1', ['10.0.0.0/8'])).to.equal('192.0.2.7');
  });

  it('is the last one that is no trusted proxy, so that a client cannot make one up', () => {
    const trusted = ['10.0.0.0/8', 'fd00::/8'];
    expect(from('10.0.0.2', '198.51.100.1', trusted)).to.equal('198.51.100.1');
    expect(from('::ffff:10.0.0.2', '1.2.3.4, 198.51.100.1, 10.9.9.9', trusted)).to.equal('198.51.100.1');
    expect(from('fd00::1', '2001:db8::5', trusted)).to.equal('2001:db8::5');
  });

  it('is that of the proxy where it names no valid address', () => {
    const trusted = ['10.0.0.0/8'];
    for (const forwarded of [undefined, '', 'unknown', '<b>', '198.51.100.1, nonsense']) {
      expect(from('10.0.0.2', forwarded, trusted)).to.equal('10.0.0.2');
    }
    expect(from('10.0.0.2', '10.0.0.3', trusted), 'only proxies').to.equal('10.0.0.3');
  });
});

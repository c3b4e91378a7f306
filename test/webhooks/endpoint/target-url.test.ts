import { expect } from 'chai';
import { checkTarget } from '../../../src/webhooks/endpoint/target-url.js';
import { refusalOf } from '../../domain/given.js';

const refusal = (url: string, allow: readonly string[] = []) => {
  const { code, fields } = refusalOf(() => checkTarget(url, allow));
  expect(fields.map(({ pointer }) => pointer)).to.deep.equal(['/url']);
  return `${code} ${fields[0]!.code}`;
};
const takes = (url: string, allow: readonly string[] = []) =>
  expect(() => checkTarget(url, allow), url).not.to.throw();

describe('the URL of a webhook', () => {
  it('may be http or https, with any port, path and query', () => {
    for (const url of [
      'https://example.org',
      'http://example.org:8080/hook?token=a%20b&c',
      'HTTPS://EXAMPLE.org/Hook',
      'https://bücher.example/é',
      'https://8.8.8.8/hook',
      'https://[2606:4700:4700::1111]:8443/',
      'https://example.org./',
      'https://localhost.example.org/',
      'https://notlocalhost/',
    ]) {
      takes(url);
    }
  });

  it('is no other text', () => {
    for (const url of [
      '',
      'example.org',
      '/hook',
      'https://',
      'http://[::1',
      'https://a b.org/',
      'http://256.1.1.1/',
      'http://example.org:0/',
    ]) {
      expect(refusal(url), url).to.equal('validation_failed not_a_url');
    }
    for (const url of [
      'ftp://example.org/',
      'file:///etc/passwd',
      'javascript:alert(1)',
      'ws://example.org/',
    ]) {
      expect(refusal(url), url).to.equal('validation_failed not_a_url');
    }
  });

  it('has no blank or control character, which the parser would remove', () => {
    for (const url of [
      ' https://example.org/',
      'https://example.org/\n',
      'https://exam\tple.org/',
      'https://e.org/\0',
    ]) {
      expect(refusal(url), JSON.stringify(url)).to.equal('validation_failed not_a_url');
    }
  });

  it('has at most 2,048 characters, as sent and percent-encoded', () => {
    const base = 'https://example.org/';
    takes(base + 'x'.repeat(2_048 - base.length));
    expect(refusal(base + 'x'.repeat(2_049 - base.length))).to.equal('validation_failed too_long');
    expect(refusal(base + 'é'.repeat(1_000))).to.equal('validation_failed too_long');
  });

  it('has no user, password or fragment', () => {
    for (const url of [
      'https://user@example.org/',
      'https://user:pass@example.org/',
      'https://:pass@example.org/',
      'https://@example.org/',
      'http:\\\\:@example.org/',
    ]) {
      expect(refusal(url), url).to.equal('validation_failed has_password');
    }
    for (const url of ['https://example.org/#part', 'https://example.org/#']) {
      expect(refusal(url), url).to.equal('validation_failed has_fragment');
    }
  });

  it('does not lead to an address that is not public, in any spelling', () => {
    for (const url of [
      'http://127.0.0.1/',
      'http://127.1/',
      'http://2130706433/',
      'http://0x7f000001/',
      'http://0x7f.1/',
      'http://0177.0.0.1/',
      'http://017700000001/',
      'http://127.0.0.1./',
      'http://1２7.0.0.1/',
      'http://%31%32%37.0.0.1/',
      'http://0/',
      'http://10.0.0.1:8080/',
      'http://169.254.169.254/latest/meta-data/',
      'http://2852039166/',
      'http://0xa9fea9fe/',
      'http://[::1]/',
      'http://[::]/',
      'http://[0:0:0:0:0:0:0:1]/',
      'http://[::ffff:127.0.0.1]/',
      'http://[::ffff:a9fe:a9fe]/',
      'http://[::127.0.0.1]/',
      'http://[fe80::1]/',
      'http://[fd00:ec2::254]/',
      'http://[64:ff9b::10.0.0.1]/',
      'http://[2002:7f00:1::]/',
      'http:\\\\10.0.0.1\\',
      'http:10.0.0.1',
    ]) {
      expect(refusal(url), url).to.equal('target_refused target_refused');
    }
  });

  it('does not lead to a name of this host', () => {
    for (const host of [
      'localhost',
      'LocalHost',
      'localhost.',
      'a.localhost',
      'a.b.localhost.',
      'localhost:3000',
    ]) {
      expect(refusal(`http://${host}/`), host).to.equal('target_refused target_refused');
    }
  });

  it('may lead to a range that WEBHOOK_ALLOW opens', () => {
    takes('http://127.0.0.1:3000/hook', ['127.0.0.0/8']);
    takes('http://2130706433/', ['127.0.0.0/8']);
    takes('http://[::ffff:10.1.2.3]/', ['10.0.0.0/8']);
    for (const host of ['localhost', 'a.localhost', 'localhost.:3000']) {
      takes(`http://${host}/`, ['127.0.0.1/32']);
      takes(`http://${host}/`, ['::1/128']);
      expect(refusal(`http://${host}/`, ['10.0.0.0/8']), host).to.equal('target_refused target_refused');
    }
    expect(refusal('http://10.0.0.1/', ['127.0.0.0/8'])).to.equal('target_refused target_refused');
  });
});

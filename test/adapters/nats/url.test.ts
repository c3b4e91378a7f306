import { expect } from 'chai';
import { parseNatsUrl } from '../../../src/adapters/nats/url.js';

describe('the URL of a NATS bus', () => {
  it('names one server or several, and by default our stream with one replica', () => {
    expect(parseNatsUrl('nats://bus.example')).to.deep.equal({
      connection: { servers: ['bus.example'] },
      shown: 'bus.example',
      stream: 'testledger',
      replicas: 1,
    });
    const several = parseNatsUrl('nats://a:4222,b:4223,nats://[::1]:4224/?stream=other-1&replicas=3');
    expect(several.connection.servers).to.deep.equal(['a:4222', 'b:4223', '[::1]:4224']);
    expect(several).to.include({ stream: 'other-1', replicas: 3 });
  });

  it('holds credentials, which are never shown', () => {
    const user = parseNatsUrl('nats://me:p%40ss%3Aword:x@a,b');
    expect(user.connection).to.deep.equal({ servers: ['a', 'b'], user: 'me', pass: 'p@ss:word:x' });
    expect(user.shown).to.equal('a, b');
    expect(parseNatsUrl('nats://me:secret@a,nats://me:secret@b').connection).to.deep.include({
      pass: 'secret',
    });
    expect(parseNatsUrl('tls://token@a').connection).to.deep.equal({
      servers: ['a'],
      token: 'token',
      tls: {},
    });
  });

  it('is refused when it is not valid, with a message without the credentials', () => {
    for (const text of [
      'nats://',
      'nats://secret@',
      'nats://a,,b',
      'http://a',
      'nats://me:secret@more@a',
      'nats://me:secret%zz@a',
      'nats://me:secret@a?strange=1',
      'nats://me:secret@a?stream=a.b',
      'nats://me:secret@a?replicas=2',
    ]) {
      expect(() => parseNatsUrl(text), text)
        .to.throw(/^the URL of the bus (must|has)/)
        .with.property('message')
        .not.include('secret');
    }
  });
});

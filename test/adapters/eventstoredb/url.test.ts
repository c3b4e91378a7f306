import { expect } from 'chai';
import { inspect } from 'node:util';
import { openEsdbLog } from '../../../src/adapters/eventstoredb/log.js';
import { mistake } from '../../contract/event-log/events.js';
import { parseEsdbUrl, withPingLimit } from '../../../src/adapters/eventstoredb/url.js';

describe('the connection string of an EventStoreDB log', () => {
  it('is the client’s own, except for the namespace', () => {
    expect(
      parseEsdbUrl('esdb://admin:secret@a:2113,b:2113?tls=true&namespace=staging.1&tlsCAFile=ca.crt'),
    ).to.deep.equal({
      url: 'esdb://admin:secret@a:2113,b:2113?tls=true&tlsCAFile=ca.crt&connectionName=testledger',
      namespace: 'staging.1',
    });
    expect(parseEsdbUrl('esdb+discover://cluster')).to.deep.equal({
      url: 'esdb+discover://cluster?connectionName=testledger',
      namespace: null,
    });
    expect(parseEsdbUrl('esdb://a?connection_name=mine').url).to.equal('esdb://a?connection_name=mine');
  });

  for (const [why, url] of [
    ['another protocol', 'http://a:2113'],
    ['no host', 'esdb://'],
    ['a namespace with other characters', 'esdb://a?namespace=Staging'],
    ['a namespace with our separator', 'esdb://a?namespace=a~b'],
    ['a long namespace', `esdb://a?namespace=${'a'.repeat(33)}`],
    ['an empty namespace', 'esdb://a?namespace='],
    ['reads from a follower, which may lag', 'esdb://a,b?nodePreference=follower'],
    ['an unknown parameter', 'esdb://a?tsl=false'],
    ['certificates that are not verified', 'esdb://a?tlsVerifyCert=false'],
    ['refused appends that look like successful ones', 'esdb://a?throwOnAppendFailure=false'],
  ] as const) {
    it(`is refused with ${why}`, () => {
      expect(() => parseEsdbUrl(url)).to.throw(Error);
    });
  }

  it('is not shown with its password in the client’s error about it', async () => {
    const url = 'esdb://admin:secret@host:port?tls=false';
    const error = await mistake(() => openEsdbLog({ url }));
    expect(inspect(error)).not.to.include('secret');
    expect(error.message).to.include('the URL of the event log');
  });

  it('has our limit for unanswered pings, unless it has its own', () => {
    expect(withPingLimit('esdb://a?tls=false', 3001)).to.equal('esdb://a?tls=false&keepAliveTimeout=3001');
    expect(withPingLimit('esdb://a?keepAliveTimeout=9', 3001)).to.equal('esdb://a?keepAliveTimeout=9');
  });
});

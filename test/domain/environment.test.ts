import { expect } from 'chai';
import {
  environmentIn,
  environmentKeyIn,
  environmentOf,
  parseEnvironmentKey,
  resultEnvironment,
} from '../../src/domain/environment.js';

const key = (environment: unknown) => environmentKeyIn({ environment });

describe('the environment of a run or result', () => {
  it('has the pairs that were sent, sorted by name in its key', () => {
    expect(environmentIn({ environment: { os: 'windows', node: 22, ci: true } })).to.deep.equal({
      os: 'windows',
      node: '22',
      ci: 'true',
    });
    expect(key({ os: 'windows', node: 22, ci: true })).to.equal('ci=true,node=22,os=windows');
    expect(key({ os: 'a=b' })).to.equal('os=a=b');
    expect(key({ ['__proto__']: 'x' })).to.equal('__proto__=x');
  });

  it('is none without pairs, and where one pair is not understood', () => {
    const wrong = [
      undefined,
      null,
      {},
      [],
      'os=linux',
      { os: null },
      { os: '' },
      { os: 'a,b' },
      { OS: 'linux' },
      { 'o s': 'linux' },
      { os: { name: 'linux' } },
      { os: 'x'.repeat(256) },
      { ['x'.repeat(65)]: 'linux' },
      Object.fromEntries(Array.from({ length: 11 }, (_, n) => [`n${n}`, n])),
    ];
    for (const environment of wrong)
      expect(environmentIn({ environment }), JSON.stringify(environment)).to.equal(null);
    expect(environmentIn(null)).to.equal(null);
  });

  it('of a result has the pairs of its call, replaced by its own', () => {
    expect(resultEnvironment('node=22,os=linux', null)).to.equal('node=22,os=linux');
    expect(resultEnvironment('node=22,os=linux', { environment: { os: 'mac', browser: 'webkit' } })).to.equal(
      'browser=webkit,node=22,os=mac',
    );
    expect(resultEnvironment('', { environment: { os: 'mac' } })).to.equal('os=mac');
    expect(resultEnvironment('os=linux', { environment: { os: [] } })).to.equal('os=linux');
  });

  it('is found by its key, whose pairs may come in any order', () => {
    expect(parseEnvironmentKey('os=linux,node=22')).to.equal('node=22,os=linux');
    expect(parseEnvironmentKey('')).to.equal('');
    for (const wrong of ['os', 'os=', '=linux', 'OS=linux', 'os=linux,', 'os=a,os=b', 'os=a,,node=1'])
      expect(parseEnvironmentKey(wrong), wrong).to.equal(null);
    expect(environmentOf('node=22,os=a=b')).to.deep.equal({ node: '22', os: 'a=b' });
    expect(environmentOf('')).to.equal(null);
  });
});

import { expect } from 'chai';
import { givenEnvironment } from '../../src/client/ci/given-environment.js';

const of = (...given: unknown[]) => givenEnvironment(given, {});
const pairs = (...given: unknown[]) => {
  const found = of(...given);
  if ('fault' in found) throw new Error(found.fault);
  return found.environment;
};

describe('a given environment', () => {
  it('is pairs, given again and again, of which the later one of a name holds', () => {
    expect(pairs('os=windows,node=22')).to.deep.equal({ os: 'windows', node: '22' });
    expect(pairs(' os = windows , ', 'Node=20', 'node=22')).to.deep.equal({ os: 'windows', node: '22' });
    expect(pairs('url=http://a/?b=c')).to.deep.equal({ url: 'http://a/?b=c' });
  });

  it('is a JSON object, as the matrix of a job is, with numbers and booleans as their text', () => {
    const matrix = JSON.stringify({ OS: 'windows-latest', node: 22, experimental: false }, null, 2);
    const expected = { os: 'windows-latest', node: '22', experimental: 'false' };
    expect(pairs(matrix)).to.deep.equal(expected);
    expect(pairs({ OS: 'windows-latest', node: 22, experimental: false })).to.deep.equal(expected);
    expect(pairs('{"__proto__":"a"}')).to.have.own.property('__proto__', 'a');
  });

  it('is nothing for what CI services pass where nothing is set', () => {
    for (const given of ['null', '', '{}', '{"node":null}', 'node=', undefined])
      expect(of(given), String(given)).to.deep.equal({ environment: null, warnings: [] });
  });

  it('comes from TESTLEDGER_ENVIRONMENT where neither a flag nor an option says it', () => {
    const env = { TESTLEDGER_ENVIRONMENT: 'os=macos' };
    const from = (...given: unknown[]) => givenEnvironment(given, env);
    expect(from(undefined)).to.deep.equal({ environment: { os: 'macos' }, warnings: [] });
    expect(from('null')).to.deep.equal(from(undefined));
    expect(from('node=22')).to.deep.equal({ environment: { node: '22' }, warnings: [] });
  });

  it('leaves out what the server does not understand, each with a warning, and keeps the rest', () => {
    const found = of(
      '{"os":"linux","nested":{"a":1},"list":[1],"node version":22,"tools":"a,b","long":"' +
        'x'.repeat(256) +
        '"}',
    );
    if ('fault' in found) throw new Error(found.fault);
    expect(found.environment).to.deep.equal({ os: 'linux' });
    expect(found.warnings.map((warning) => warning.replace(/ .*/, ''))).to.deep.equal([
      '"nested"',
      '"list"',
      '"node',
      '"tools"',
      '"long"',
    ]);
  });

  it('is a fault for more than 10 pairs, for text that is no pair, and for broken JSON', () => {
    const names = Array.from({ length: 11 }, (_, n) => `n${n}=1`);
    expect(pairs(names.slice(1).join())).to.have.property('n10');
    for (const wrong of [names.join(), 'windows', 'os=a,b', '=a', '{"os":', '[1]', '"os"'])
      expect(of(wrong), wrong).to.have.property('fault');
  });
});

import { expect } from 'chai';
import { boundedText, cutText } from '../../../src/importers/values/bounded-text.js';
import {
  durationFromClock,
  durationFromMs,
  durationFromSeconds,
  instantOf,
} from '../../../src/importers/values/numbers.js';
import { mender, mendText, referredCharacter } from '../../../src/importers/xml/characters.js';

describe('importers: numbers', () => {
  it('reads seconds in every form', () => {
    for (const [text, ms] of [
      ['0', 0],
      ['1.2345', 1_235],
      ['2,503.1', 2_503_100],
      ['1,234,567', 1_234_567_000],
      ['0,5', 500],
      ['12,5', 12_500],
      ['4.5e-05', 0],
      ['1E1', 10_000],
      [' 3 ', 3_000],
      ['1.5s', 1_500],
    ] as const) {
      expect(durationFromSeconds(text), text).to.deep.equal({ ms });
    }
  });

  it('gives no number rather than a wrong one', () => {
    for (const text of ['NaN', '-1', '', 'fast', 'Infinity', '1.2.3', '0x10s!']) {
      expect(durationFromSeconds(text), text).to.deep.equal({ ms: null, reason: 'bad_number' });
    }
    expect(durationFromSeconds('10000001')).to.deep.equal({ ms: null, reason: 'duration_out_of_range' });
    expect(durationFromMs(2 ** 31 - 1)).to.deep.equal({ ms: 2 ** 31 - 1 });
    expect(durationFromMs(2 ** 31)).to.deep.equal({ ms: null, reason: 'duration_out_of_range' });
  });

  it('reads a duration of a clock', () => {
    expect(durationFromClock('01:02:03.4567890')).to.deep.equal({ ms: 3_723_457 });
    expect(durationFromClock('1.00:00:01')).to.deep.equal({ ms: 86_401_000 });
    expect(durationFromClock('-00:00:01')).to.deep.equal({ ms: null, reason: 'bad_number' });
  });

  it('reads an instant without a zone as UTC, and one with a zone by its zone', () => {
    for (const text of [
      '2026-03-04T05:06:07',
      '2026-03-04 05:06:07.000',
      '2026-03-04T05:06:07Z',
      '2026-03-04T07:06:07+02:00',
      '2026-03-04T03:06:07-0200',
      '2026-03-04 05:06:07Z',
      '2026-03-04T 05:06:07Z',
      '2026-03-04T05:06:07,000Z',
      '2026-03-04T07:06:07+02',
      '20260304T050607Z',
      '2026-03-04T05:06:07Z[UTC]',
      '2026-03-03 21:06:07 PST -0800',
      'Wed, 04 Mar 2026 05:06:07 GMT',
      '1772600767',
      '1772600767000',
    ]) {
      expect(instantOf(text), text).to.equal('2026-03-04T05:06:07.000Z');
    }
    for (const text of ['', 'yesterday', '2026-13-04T05:06:07', '04/03/2026', '99999999999999999', '0']) {
      expect(instantOf(text), text).to.equal(null);
    }
  });
});

describe('importers: bounded texts', () => {
  it('keeps a short text whole, whatever its pieces are', () => {
    const text = boundedText(10);
    for (const piece of ['abc', '', 'defgh', 'ij']) text.add(piece);
    expect(text.text()).to.equal('abcdefghij');
    expect(text.isCut()).to.equal(false);
  });

  it('keeps the beginning and the end of a long text, and says how much it leaves out', () => {
    const text = boundedText(10);
    for (let n = 0; n < 1_000; n += 1) text.add(String(n % 10));
    expect(text.text()).to.equal('01234\n[… 990 characters left out …]\n56789');
    expect(text.length()).to.equal(1_000);
    expect(cutText('0123456789ab', 10)).to.equal('01234\n[… 2 characters left out …]\n789ab');
  });

  it('divides no character', () => {
    expect(cutText('🙂'.repeat(11), 10)).to.equal('🙂🙂\n[… 14 characters left out …]\n🙂🙂');
  });
});

describe('importers: illegal characters', () => {
  it('removes escape sequences and marks other characters, whatever the pieces are', () => {
    const text = 'a\u001b[31mred\u001b[0;1mb\u0000c\u009b2Kd\u001be\ufffff\ud800g🙂';
    for (const size of [1, 2, 3, 100]) {
      const { mend, rest, count } = mender();
      let mended = '';
      for (let at = 0; at < text.length;) {
        // The decoder divides no surrogate pair.
        const end = at + size + (text.charCodeAt(at + size - 1) === 0xd83d ? 1 : 0);
        mended += mend(text.slice(at, end));
        at = end;
      }
      expect(mended + rest(), String(size)).to.match(/^aredb\ufffdc.*d\ufffde\ufffdf\ufffdg🙂$/u);
      expect(count(), String(size)).to.equal(6);
    }
  });

  it('reads references to them as the characters', () => {
    const characters = ['#27', '#x1b', '#0', '#xFFFF', '#xD800', '#99999999999'].map(referredCharacter);
    expect(characters).to.deep.equal(['\u001b', '\u001b', '\0', '\ufffd', '\ufffd', '\ufffd']);
    expect(mendText(`${characters[0]}[31mred`).text).to.equal('red');
    expect(referredCharacter('#z')).to.equal('&#z;');
  });
});

import { expect } from 'chai';
import { textDiff } from '../../../src/dashboard/parts/texts/text-diff.js';
import { fastest } from '../../processor-time.js';

describe('the difference of two texts', () => {
  it('of one line each goes by words', () => {
    const diff = textDiff('the total is 129 euro', 'the total is 128 euro');
    expect(diff).to.deep.include({ by: 'words', skipped: 0 });
    expect('parts' in diff && diff.parts.filter(({ kind }) => kind !== 'same')).to.deep.equal([
      { kind: 'expected', text: '129' },
      { kind: 'actual', text: '128' },
    ]);
  });

  it('of more lines goes by lines', () => {
    const diff = textDiff('a\nb\nc\n', 'a\nx\nc\n');
    expect(diff).to.deep.equal({
      by: 'lines',
      skipped: 0,
      parts: [
        { kind: 'same', text: 'a\n' },
        { kind: 'expected', text: 'b\n' },
        { kind: 'actual', text: 'x\n' },
        { kind: 'same', text: 'c\n' },
      ],
    });
  });

  it('of two objects does not count the order of their names', () => {
    const diff = textDiff('{"b":1,"a":{"d":1,"c":2}}', '{"a":{"c":2,"d":1},"b":2}');
    expect('parts' in diff && diff.parts.filter(({ kind }) => kind !== 'same')).to.deep.equal([
      { kind: 'expected', text: '  "b": 1\n' },
      { kind: 'actual', text: '  "b": 2\n' },
    ]);
  });

  it('of two lists in thousands of lists is that of the texts as they are, because indentation would fill the memory', () => {
    const nested = (last: number) => {
      const levels = 2_000;
      return `${'['.repeat(levels)}${'1,'.repeat(25_000)}${last}${']'.repeat(levels)}`;
    };
    const diff = textDiff(nested(1), nested(2));
    expect(diff.by).to.equal('words');
    const text = 'parts' in diff ? diff.parts.map((part) => part.text).join('') : '';
    expect(text).not.to.include('\n');
  });

  it('of two lists whose texts have brackets does not take them for levels', () => {
    const listed = (name: string) => JSON.stringify({ name, brackets: '['.repeat(100) });
    expect(textDiff(listed('one'), listed('other')).by).to.equal('lines');
  });

  it('of two long lines shows the place where they begin to differ', () => {
    const same = 'x'.repeat(100_000);
    const diff = textDiff(`${same}yes`, `${same}no`);
    expect(diff).to.deep.include({ by: 'words', skipped: 99_800 });
  });

  it('of two texts of a megabyte is there within half a second, whatever they are', () => {
    const random = (seed: number) => {
      let value = seed;
      return () => (value = (value * 1_103_515_245 + 12_345) % 2 ** 31).toString(36);
    };
    const long = (seed: number, join: string) => {
      const next = random(seed);
      let text = '';
      while (text.length < 1_000_000) text += next() + join;
      return text;
    };
    const pairs = [
      [long(1, ''), long(2, '')],
      [long(1, ' '), long(2, ' ')],
      [long(1, '\n'), long(2, '\n')],
      ['\n'.repeat(1_000_000), 'a\n'.repeat(500_000)],
      [JSON.stringify({ a: long(1, '\n') }), JSON.stringify({ a: long(2, '\n') })],
      ['('.repeat(1_000_000), ')'.repeat(1_000_000)],
      ['['.repeat(60_000), '['.repeat(60_001)],
      [`["${'\\"'.repeat(30_000)}`, `["${'\\"'.repeat(30_000)}x`],
    ] as const;
    for (const [expected, actual] of pairs) {
      const took = fastest(() => textDiff(expected, actual));
      expect(took, expected.slice(0, 20)).to.be.below(500);
    }
  });
});

import { expect } from 'chai';
import * as fc from 'fast-check';
import { isText, jsonFault } from '../../src/validation/json-limits.js';

const metadata = { maxBytes: 65_536, maxDepth: 32, maxValues: 5_000 };
const TOO_LARGE = 'must not be larger than 65536 bytes as JSON';
const TOO_DEEP = 'is nested too deeply';
const NOT_TEXT = 'must not contain a NUL or a lone surrogate';
const NOT_FINITE = 'must not contain a number that is not finite';

/** An object of exactly this many bytes as compact JSON, made of this character. */
function ofBytes(bytes: number, character = 'x'): unknown {
  const rest = bytes - Buffer.byteLength('{"a":""}');
  const width = Buffer.byteLength(character);
  return { a: character.repeat(Math.floor(rest / width)) + 'x'.repeat(rest % width) };
}

/** Nested objects or lists, the outermost of which is level 1, with a scalar inside. */
function ofDepth(levels: number, wrap: (inner: unknown) => unknown): unknown {
  let value: unknown = 'the bottom';
  for (let level = 1; level < levels; level += 1) value = wrap(value);
  return { outermost: value };
}

describe('the limits of metadata', () => {
  for (const character of ['x', 'é', '€', '😀']) {
    it(`allow 65,536 bytes of ${character} as UTF-8, and not one more`, () => {
      for (const bytes of [65_535, 65_536]) {
        expect(Buffer.byteLength(JSON.stringify(ofBytes(bytes, character)))).to.equal(bytes);
        expect(jsonFault(ofBytes(bytes, character), metadata)).to.equal(null);
      }
      expect(jsonFault(ofBytes(65_537, character), metadata)).to.equal(TOO_LARGE);
    });
  }

  it('count escaped characters as they are written', () => {
    expect(jsonFault({ a: '"'.repeat(32_764) }, metadata)).to.equal(null);
    expect(jsonFault({ a: '"'.repeat(32_765) }, metadata)).to.equal(TOO_LARGE);
  });

  for (const [name, wrap] of [
    ['objects', (inner: unknown) => ({ inner })],
    ['lists', (inner: unknown) => [inner]],
  ] as const) {
    it(`allow 32 levels of ${name}, and not one more`, () => {
      expect(jsonFault(ofDepth(32, wrap), metadata)).to.equal(null);
      expect(jsonFault(ofDepth(33, wrap), metadata)).to.equal(TOO_DEEP);
    });
  }

  it('count an empty list or object as a level too', () => {
    expect(jsonFault({ a: [] }, { ...metadata, maxDepth: 2 })).to.equal(null);
    expect(jsonFault({ a: [[]] }, { ...metadata, maxDepth: 2 })).to.equal(TOO_DEEP);
    expect(jsonFault({ a: [{}] }, { ...metadata, maxDepth: 2 })).to.equal(TOO_DEEP);
  });

  for (const [name, value] of [
    ['scalars', null],
    ['lists', []],
    ['objects', {}],
  ] as const) {
    it(`allow 5,000 ${name}, at all levels together, and not one more`, () => {
      const ofValues = (count: number) => ({ a: Array.from({ length: count - 2 }, () => value), b: 1 });
      expect(jsonFault(ofValues(5_000), metadata)).to.equal(null);
      expect(jsonFault(ofValues(5_001), metadata)).to.equal('must not contain more than 5000 values');
    });
  }

  it('refuse a nesting that would exhaust the stack', () => {
    const value = JSON.parse(`{"a":${'['.repeat(400_000)}${']'.repeat(400_000)}}`) as unknown;
    expect(jsonFault(value, metadata)).to.equal(TOO_DEEP);
  });

  it('refuse a lone surrogate and a NUL, in texts and in keys, at any depth', () => {
    for (const text of ['\ud800', 'a\udc00b', '\udc00\ud800', '\0', 'a\0b']) {
      expect(jsonFault({ a: text }, metadata), JSON.stringify(text)).to.equal(NOT_TEXT);
      expect(jsonFault({ a: [1, { b: [text] }] }, metadata), JSON.stringify(text)).to.equal(NOT_TEXT);
      expect(jsonFault({ [text]: 1 }, metadata), JSON.stringify(text)).to.equal(NOT_TEXT);
      expect(jsonFault({ a: [{ [text]: 1 }] }, metadata), JSON.stringify(text)).to.equal(NOT_TEXT);
    }
  });

  it('allow every other text and key', () => {
    const value = JSON.parse(
      '{"__proto__":{"a":1},"constructor":1,"$where":"x","a.b":1,"":2,"\\u0001":"\\u007f","é":"😀\\ufffe"}',
    ) as unknown;
    expect(jsonFault(value, metadata)).to.equal(null);
  });

  it('check values below the key __proto__ too', () => {
    const fault = (text: string) => jsonFault(JSON.parse(text), metadata);
    expect(fault('{"__proto__":"\\u0000"}')).to.equal(NOT_TEXT);
    expect(fault('{"__proto__":{"a":1e999}}')).to.equal(NOT_FINITE);
  });

  it('refuse a number that is not finite, which is what 1e999 becomes', () => {
    for (const text of ['{"a":1e999}', '{"a":[-1e999]}', '{"a":{"b":1e999}}']) {
      expect(jsonFault(JSON.parse(text), metadata), text).to.equal(NOT_FINITE);
    }
    expect(jsonFault({ a: Number.MAX_VALUE, b: -0, c: 5e-324 }, metadata)).to.equal(null);
  });

  it('allow any JSON object of well-formed texts within them', () => {
    const text = fc.string({ unit: 'grapheme' }).filter(isText);
    const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
      tree: fc.oneof(
        { maxDepth: 8 },
        text,
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        fc.boolean(),
        fc.constant(null),
        fc.array(tie('tree'), { maxLength: 4 }),
        fc.dictionary(text, tie('tree'), { maxKeys: 4 }),
      ),
    }));
    fc.assert(fc.property(fc.dictionary(text, tree), (value) => jsonFault(value, metadata) === null));
  });
});

import fc from 'fast-check';

const SURROGATES = [0xd800, 0xdfff] as const;
const COUNT = SURROGATES[1] - SURROGATES[0] + 1;

/**
 * Any code point of Unicode but surrogates, as the unit of a text. Fast-check's own `binary` makes a map of them all first,
 * which takes a second of processor time.
 */
export const codePoint: fc.Arbitrary<string> = fc.integer({ min: 0, max: 0x10_ffff - COUNT }).map(
  (n) => String.fromCodePoint(n < SURROGATES[0] ? n : n + COUNT),
  (text) => {
    const [character, ...more] = Array.from(text as string);
    const code = character?.codePointAt(0) ?? Number.NaN;
    if (more.length > 0 || !(code < SURROGATES[0] || code > SURROGATES[1])) throw new Error('no code point');
    return code < SURROGATES[0] ? code : code - COUNT;
  },
);

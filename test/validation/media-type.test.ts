import { expect } from 'chai';
import { parse } from 'content-type';
import fc from 'fast-check';
import { essenceOf, isMediaType } from '../../src/validation/media-type.js';
import { fastest } from '../processor-time.js';

describe('a media type', () => {
  for (const type of [
    'image/png',
    'IMAGE/PNG',
    'application/vnd.api+json',
    'application/x-7z-compressed',
    'text/plain;charset=utf-8',
    'text/plain; charset=utf-8',
    'text/plain ; charset="utf-8"; format=flowed',
    'video/mp4; codecs="avc1.42E01E, mp4a.40.2"',
    'text/x; a="a \\"quoted\\" text; with \\\\ all"',
    'text/x; a=""',
  ]) {
    it(`is ${JSON.stringify(type)}`, () => expect(isMediaType(type)).to.equal(true));
  }

  for (const type of [
    '',
    ' ',
    'png',
    'image/',
    '/png',
    'image//png',
    'image/png/x',
    'image/ png',
    ' image/png',
    'image/png ',
    'image/png;',
    'image/png; ',
    'image/png;;a=b',
    'image/png; a',
    'image/png; a=',
    'image/png; =b',
    'image/png; a =b',
    'image/png; a="b',
    'image/png; a="b"c',
    'image/png; a=b c',
    'image/png, image/gif',
    'image/png;\ta=b',
    'image/png\n',
    'image/png\r\nX: y',
    'image/png; a="\r\n"',
    'image/png; a="\0"',
    'image/png\0',
    'image/p\u00e4ng',
    'image/png; a="ä"',
    'image/png; a="\u007f"',
    '*/*',
    'image/*',
    'text/html<script>',
    `image/${'x'.repeat(128)}`,
  ]) {
    it(`is not ${JSON.stringify(type)}`, () => expect(isMediaType(type)).to.equal(false));
  }

  it('is checked quickly, whatever the text', () => {
    for (const text of [
      'a/b' + '; a=b'.repeat(50_000) + ';',
      'a/b; a="' + '\\"'.repeat(100_000),
      ' '.repeat(100_000),
    ]) {
      expect(isMediaType(text)).to.equal(false);
      expect(fastest(() => isMediaType(text))).to.be.below(200);
    }
  });

  it('means the same to a standard parser', () => {
    const token = fc.stringMatching(/^[a-zA-Z0-9][a-zA-Z0-9.+-]{0,8}$/);
    fc.assert(
      fc.property(
        token,
        token,
        token,
        fc.stringMatching(/^[ !#-[\]-~]{0,9}$/),
        (type, subtype, name, value) => {
          const text = `${type}/${subtype}; ${name}="${value}"`;
          expect(isMediaType(text)).to.equal(true);
          expect(parse(text).type).to.equal(`${type}/${subtype}`.toLowerCase());
          expect(parse(text).parameters[name.toLowerCase()]).to.equal(value);
          expect(essenceOf(text)).to.equal(parse(text).type);
        },
      ),
    );
  });
});

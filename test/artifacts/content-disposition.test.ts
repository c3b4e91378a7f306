import { parse } from 'content-disposition';
import { expect } from 'chai';
import fc from 'fast-check';
import { codePoint } from '../kit/any-text.js';
import { contentDispositionOf } from '../../src/artifacts/content-disposition.js';

describe('the Content-Disposition of a file', () => {
  const typeOf = (contentType: string) => parse(contentDispositionOf(contentType, 'a')).type;
  const nameOf = (label: string) => parse(contentDispositionOf('image/png', label)).parameters['filename'];

  for (const type of [
    'image/png',
    'IMAGE/PNG',
    'image/jpeg',
    'image/gif',
    'image/webp',
    'image/avif',
    'image/bmp',
    'video/mp4',
    'video/webm; codecs="vp9, opus"',
    'audio/mpeg',
    'text/plain',
    'text/plain;charset=utf-8',
    'Text/Plain ; Charset=UTF-8',
    'application/json',
  ]) {
    it(`makes a browser show ${type}`, () => expect(typeOf(type)).to.equal('inline'));
  }

  for (const type of [
    'text/html',
    'TEXT/HTML',
    'text/html;charset=utf-8',
    'text/html ; charset=utf-8',
    'text/html;level="1"',
    'application/xhtml+xml',
    'application/XHTML+XML; charset=utf-8',
    'image/svg+xml',
    'Image/SVG+XML',
    'image/svg+xml;charset=utf-8',
    'image/svg',
    'text/xml',
    'application/xml',
    'application/xml; charset=utf-8',
    'application/rss+xml',
    'application/anything+xml',
    'application/xslt+xml',
    'text/javascript',
    'application/pdf',
    'application/octet-stream',
    'multipart/x-mixed-replace',
    'text/css',
    'message/rfc822',
    'image/x-unknown',
    'text/plain, text/html',
    'image/png, text/html',
    'image/png;',
    'image/png\r\nContent-Type: text/html',
    'image/png\0',
    ' image/png',
    'image',
    '*/*',
    '',
  ]) {
    it(`makes a browser save ${JSON.stringify(type)}`, () => expect(typeOf(type)).to.equal('attachment'));
  }

  for (const [label, name] of [
    ['failure.png', 'failure.png'],
    ['Ärger mit 😀.png', 'Ärger mit 😀.png'],
    ['100% done', '100% done'],
    ['%2e%2e%2fetc', '%2e%2e%2fetc'],
    ['../../etc/passwd', '_.._etc_passwd'],
    ['..\\..\\windows\\win.ini', '_.._windows_win.ini'],
    ['/etc/passwd', '_etc_passwd'],
    ['C:\\boot.ini', 'C__boot.ini'],
    ['a"; filename="b.exe', 'a_; filename=_b.exe'],
    ['a\r\nSet-Cookie: b=c', 'a__Set-Cookie_ b=c'],
    ['a\0b', 'a_b'],
    ['photo\u202Egnp.exe', 'photognp.exe'],
    ['zero\u200Bwidth', 'zerowidth'],
    ['two\u2028lines', 'two_lines'],
    ['', 'artifact'],
    ['   ', 'artifact'],
    ['.', 'artifact'],
    ['..', 'artifact'],
    ['.htaccess', 'htaccess'],
    ['trailing. . ', 'trailing'],
    ['CON', '_CON'],
    ['nul.txt', '_nul.txt'],
    ['console', 'console'],
    ['\uD83D.png', '\uFFFD.png'],
  ] as const) {
    it(`gives ${JSON.stringify(label)} the name ${JSON.stringify(name)}`, () =>
      expect(nameOf(label)).to.equal(name));
  }

  it('cuts a long name between two characters, and keeps its extension', () => {
    expect(nameOf(`${'x'.repeat(300)}.png`)).to.equal(`${'x'.repeat(196)}.png`);
    const name = nameOf(`${'😀'.repeat(255)}.png`)!;
    expect(name).to.match(/^(😀)+\.png$/u);
    expect(Buffer.byteLength(name)).to.be.within(190, 200);
    expect(nameOf(`a.${'x'.repeat(300)}`)).to.equal(`a.${'x'.repeat(198)}`);
  });

  it('gives old clients a name that needs no decoding', () => {
    expect(contentDispositionOf('image/png', 'Ä %41.png')).to.include('filename="_ _41.png"');
  });

  it('is plain ASCII without control characters for every label and type', () => {
    fc.assert(
      fc.property(fc.string({ unit: codePoint }), fc.string({ unit: codePoint }), (label, type) => {
        const text = contentDispositionOf(type, label);
        expect(text).to.match(/^(attachment|inline); [\x20-\x7e]+$/);
        const name = parse(text).parameters['filename']!;
        expect(name).to.not.match(/[\p{Cc}\p{Cf}/\\]/u);
        expect(name).to.not.match(/^\.|^$/);
        expect(Buffer.byteLength(name)).to.be.at.most(203);
      }),
      { numRuns: 2_000 },
    );
  });
});

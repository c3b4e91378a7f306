import { expect } from 'chai';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { bytesOf, inSeconds, newPlace, put, tampered } from '../../contract/blobs/subject.js';
import { eventually } from '../../stores.js';
import { startBlobServer, type BlobServer } from './blob-server.js';
import { connected, sendRaw } from '../protocol/raw.js';
import { refusalOf, sendingTo } from './uploading.js';

const HUNDRED_MB = 104_857_600;
const WITHIN_MS = 3_000;

describe('an upload to a signed URL', function () {
  let server: BlobServer;
  before(async () => {
    server = await startBlobServer({ pace: { withinMs: WITHIN_MS, bytesPerSecond: 500 } });
  });
  after(() => server.stop());
  afterEach('nothing is left on disk', async () => {
    expect(await server.filesThere()).to.deep.equal([]);
  });

  const signed = (size: number, place = newPlace(), expiresAt = inSeconds(600)) =>
    server.blobs.uploadUrl(place, { size, expiresAt, origin: server.url });

  it('is 400 size_mismatch before a byte is sent, if it announces another length', async () => {
    for (const length of [0, 4, 6, HUNDRED_MB + 1]) {
      const sending = sendingTo(await signed(5), { 'Content-Length': length, Expect: '100-continue' });
      const { status, body } = await refusalOf(sending);
      expect([status, body.code], `${length}`).to.deep.equal([400, 'size_mismatch']);
    }
  });

  it('is refused unread if it is one byte longer than the largest file', async () => {
    const sending = sendingTo(await signed(HUNDRED_MB), { 'Content-Length': HUNDRED_MB + 1 });
    const { status, body } = await refusalOf(sending);
    expect([status, body.code]).to.deep.equal([400, 'size_mismatch']);
  });

  it('in chunks is refused at the first byte too many, and not read to its end', async () => {
    const sending = sendingTo(await signed(100_000), { 'Transfer-Encoding': 'chunked' });
    let sent = 0;
    const more = () => {
      // Far more than the buffers between the two sides hold.
      while (sent < HUNDRED_MB && !sending.destroyed) {
        sent += 65_536;
        if (!sending.write(Buffer.alloc(65_536))) return;
      }
    };
    sending.on('drain', more);
    more();
    const { status, body } = await refusalOf(sending);
    expect([status, body.code]).to.deep.equal([400, 'size_mismatch']);
    expect(sent).to.be.below(HUNDRED_MB);
  });

  it('in chunks is refused if it has fewer bytes than the URL says', async () => {
    const sending = sendingTo(await signed(100), { 'Transfer-Encoding': 'chunked' });
    sending.end(Buffer.alloc(99));
    const { status, body } = await refusalOf(sending);
    expect([status, body.code]).to.deep.equal([400, 'size_mismatch']);
  });

  it('is 403 url_not_valid before a byte is sent, if any part of the URL is changed', async () => {
    for (const [what, url] of tampered(await signed(5))) {
      const { status, body } = await refusalOf(
        sendingTo(url, { 'Content-Length': 5, Expect: '100-continue' }),
      );
      expect([status, body.code], what).to.deep.equal([403, 'url_not_valid']);
    }
  });

  it('is refused if parameters are added, repeated, reordered or spelled differently', async () => {
    const url = await signed(5);
    const [base, query] = url.split('?') as [string, string];
    const [size, expires, signature] = query.split('&') as [string, string, string];
    for (const other of [
      `${query}&size=6`,
      `size=6&${query}`,
      `${query}&extra=1`,
      `${query}&signature=x`,
      `${expires}&${size}&${signature}`,
      `${size}&${signature}&${expires}`,
      `${size}.0&${expires}&${signature}`,
      `size=05&${expires}&${signature}`,
      `size=0x5&${expires}&${signature}`,
      `size=5e0&${expires}&${signature}`,
      `size=-5&${expires}&${signature}`,
      `${size}&expires=99999999999999&${signature}`,
      `${size}&expires=Infinity&${signature}`,
      `${size}&${expires}&signature=`,
      `${size}&${expires}&${signature}=`,
      `${size}&${expires}&${signature}%00`,
      `${size}&${expires}&signature=${'A'.repeat(43)}`,
      '',
    ]) {
      expect(await put(`${base}?${other}`, bytesOf('12345')), other).to.equal(403);
    }
  });

  it('is 403 url_not_valid after the URL has expired', async () => {
    const url = await signed(5, newPlace(), inSeconds(-0.001));
    const { status, body } = await refusalOf(sendingTo(url, { 'Content-Length': 5 }));
    expect([status, body.code]).to.deep.equal([403, 'url_not_valid']);
  });

  it('is refused if any part of the path tries to leave the folder', async () => {
    const place = newPlace();
    const url = new URL(await signed(5, place));
    const tricks = [
      '..',
      '.',
      '%2e%2e',
      '%2e%2e%2f%2e%2e%2f',
      '..%2f..%2f..%2fetc%2fpasswd',
      '..%5c..%5c',
      '%252e%252e%252f',
      '%00',
      `${place.artifact}%00`,
      '%2fetc%2fpasswd',
      'C:%5cboot.ini',
      '%c0%ae%c0%ae%2f',
      '%ff%fe',
      '%',
      '%E0%A4',
      'x'.repeat(8_000),
      encodeURIComponent('ü€😀\u202E'),
      '~root',
      '$(id)',
      '*',
      '',
    ];
    const parts = url.pathname.split('/');
    for (let at = 3; at < parts.length; at += 1) {
      for (const trick of tricks) {
        const path = parts.map((part, n) => (n === at ? trick : part)).join('/') + url.search;
        for (const method of ['PUT', 'GET']) {
          // Written as it is: a client library would resolve the dots.
          const head = `${method} ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n`;
          const body = method === 'PUT' ? 'Content-Length: 5\r\n\r\n12345' : '\r\n';
          const answer = await sendRaw(server.url, head, body);
          expect(answer.status, `${method} ${path}`).to.be.oneOf([400, 403, 404, 405]);
        }
      }
    }
  });

  it('is refused with any other method', async () => {
    const url = await signed(5);
    for (const [method, status] of [
      ['GET', 403],
      ['HEAD', 403],
      ['POST', 405],
      ['PATCH', 405],
      ['DELETE', 405],
    ] as const) {
      expect((await fetch(url, { method })).status, method).to.equal(status);
    }
  });

  it('is cut off with 408 as soon as it is too slow to end in time, and not before', async () => {
    const began = performance.now();
    const sending = sendingTo(await signed(1_000), { 'Content-Length': 1_000 });
    const drip = setInterval(() => sending.write('x'), 50);
    const { status, body } = await refusalOf(sending);
    clearInterval(drip);
    expect([status, body.code]).to.deep.equal([408, 'request_timeout']);
    expect(performance.now() - began).to.be.within(0.08 * WITHIN_MS, 0.95 * WITHIN_MS);
  });

  it('is accepted if it is slow but can end in time', async () => {
    const place = newPlace();
    const sending = sendingTo(await signed(1_000, place), { 'Content-Length': 1_000 });
    let sent = 0;
    const drip = setInterval(() => {
      sending.write('x'.repeat(50));
      sent += 50;
      if (sent < 1_000) return;
      clearInterval(drip);
      sending.end();
    }, 50);
    const [response] = (await once(sending, 'response')) as [IncomingMessage];
    response.resume();
    expect(response.statusCode).to.equal(200);
    expect(await server.blobs.clear(place, null)).to.equal(1_000);
  });

  it('is cut off with 408 if it stops in the middle, and its connection ends', async () => {
    const { pathname, search } = new URL(await signed(1_000));
    const socket = await connected(server.url);
    let received = '';
    socket.setEncoding('utf8').on('data', (chunk: string) => (received += chunk));
    socket.write(
      `PUT ${pathname}${search} HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n${'x'.repeat(150)}`,
    );
    await once(socket, 'close');
    expect(received)
      .to.match(/^HTTP\/1\.1 408 /)
      .and.include('"code":"request_timeout"');
  });

  it('is cut off with 408 if its last chunk never comes', async () => {
    const sending = sendingTo(await signed(5), { 'Transfer-Encoding': 'chunked' });
    sending.write('12345');
    const { status, body } = await refusalOf(sending);
    expect([status, body.code]).to.deep.equal([408, 'request_timeout']);
  });

  it('is cut off with 408 in the first seconds if it does not go on, however long a file may take', async () => {
    const withinMs = 20_000;
    const patient = await startBlobServer({ pace: { withinMs, bytesPerSecond: 500 } });
    try {
      const { blobs, url: origin } = patient;
      const url = await blobs.uploadUrl(newPlace(), { size: 5, expiresAt: inSeconds(600), origin });
      const began = performance.now();
      const sending = sendingTo(url, { 'Content-Length': 5 });
      sending.write('1234');
      expect((await refusalOf(sending)).status).to.equal(408);
      expect(performance.now() - began).to.be.below(0.6 * withinMs);
    } finally {
      await patient.stop();
    }
  });

  it('leaves no file if its connection drops', async () => {
    const place = newPlace();
    const sending = sendingTo(await signed(10_000_000, place), { 'Content-Length': 10_000_000 });
    sending.on('error', () => undefined);
    sending.write(Buffer.alloc(5_000_000));
    await eventually('the upload to begin', async () => (await server.filesThere()).length === 1);
    sending.destroy();
    await eventually('nothing to be left', async () => (await server.filesThere()).length === 0);
    expect(await server.blobs.keep(place, { size: 10_000_000, contentType: 'a/b' })).to.deep.equal({
      version: null,
      found: null,
    });
  });
});

import { expect } from 'chai';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import type { Answer } from '../../kit/client.js';
import { givenProject, givenTeam } from '../given.js';
import { expectError, expectProblem } from '../refusals.js';
import { testServer } from '../../kit/server.js';

const MOST = 1024 * 1024;

describe('the length and coding of a body', () => {
  const server = testServer();
  const team = givenTeam(server, 'each suite');
  let project: string;
  before(async () => {
    project = await givenProject(team.owner);
  });
  afterEach('and the server still answers', async () => {
    expect((await team.owner.get('/v1/me')).status).to.equal(200);
  });
  type Content = string | Uint8Array<ArrayBuffer> | ReadableStream;
  const post = (content: Content, headers: Record<string, string> = {}, path = '/v1/test/run/') =>
    team.owner.send({ method: 'POST', path, content, headers });
  /** A valid body of exactly this many bytes. */
  const ofBytes = (bytes: number) => JSON.stringify({ project_id: project }).padEnd(bytes);
  const packed = (bytes: Buffer) => Uint8Array.from(bytes);
  const gzipped = (text: string) => packed(gzipSync(text));
  const chunked = (bytes: string) =>
    new ReadableStream({
      start(controller) {
        const all = Buffer.from(bytes);
        for (let at = 0; at < all.length; at += 65_536) controller.enqueue(all.subarray(at, at + 65_536));
        controller.close();
      },
    });
  const expectTaken = ({ status, body, text }: Answer) => {
    expect(status, text).to.equal(200);
    expect(body.project_id).to.equal(project);
  };

  it('can be 1 MiB and no more, with a length or in chunks', async () => {
    for (const form of [(text: string) => text, chunked]) {
      expectTaken(await post(form(ofBytes(MOST))));
      expectProblem(await post(form(ofBytes(MOST + 1))), 413, 'payload_too_large');
      expectProblem(await post(form(ofBytes(3 * MOST))), 413, 'payload_too_large');
      expectError(await post(form(ofBytes(MOST + 1)), {}, '/v1/projects'), 413, 'payload_too_large');
    }
  });

  it('can be compressed with gzip, deflate or br', async () => {
    for (const [encoding, pack] of [
      ['gzip', gzipSync],
      ['deflate', deflateSync],
      ['br', brotliCompressSync],
      ['identity', (bytes: Buffer) => bytes],
      ['GZIP', gzipSync],
    ] as const) {
      const send = (text: string) => post(packed(pack(Buffer.from(text))), { 'Content-Encoding': encoding });
      expectTaken(await send(JSON.stringify({ project_id: project })));
      expectTaken(await send(ofBytes(MOST)));
      expectProblem(await send(ofBytes(MOST + 1)), 413, 'payload_too_large');
    }
  });

  it('is refused if it is larger than 1 MiB after decompression, however small it was', async () => {
    const headers = { 'Content-Encoding': 'gzip' };
    const bomb = gzipped(' '.repeat(64 * MOST));
    expect(bomb.length).to.be.below(MOST);
    expectProblem(await post(bomb, headers), 413, 'payload_too_large');
    expectError(await post(bomb, headers, '/v1/projects'), 413, 'payload_too_large');
    // Compressed twice: after one decompression it is not JSON.
    expectProblem(await post(packed(gzipSync(bomb)), headers), 400, 'invalid_json');
  });

  it('is refused if it cannot be decompressed', async () => {
    const whole = gzipped(JSON.stringify({ project_id: project }));
    const broken = Uint8Array.from(whole);
    broken[12]! ^= 0xff;
    for (const bytes of [whole.slice(0, -9), broken, new TextEncoder().encode('{}'), new Uint8Array(64)]) {
      for (const encoding of ['gzip', 'deflate', 'br']) {
        const answer = await post(bytes, { 'Content-Encoding': encoding });
        expectProblem(answer, 400, 'invalid_json');
      }
    }
  });

  it('is refused if its coding is unknown', async () => {
    for (const encoding of ['zstd', 'compress', 'gzip, gzip', 'x']) {
      const answer = await post('{}', { 'Content-Encoding': encoding });
      expectProblem(answer, 415, 'unsupported_media_type');
    }
  });

  it('is refused if its media type is not JSON', async () => {
    for (const type of [
      'text/plain',
      'text/json-not',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/octet-stream',
      'application/xml',
      'json',
      '',
      '/',
      'application/json, text/plain',
    ]) {
      const headers = { 'Content-Type': type };
      expectProblem(await post('{}', headers), 415, 'unsupported_media_type');
      expectError(await post('{}', headers, '/v1/projects'), 415, 'unsupported_media_type');
    }
  });

  it('is accepted with any media type of JSON', async () => {
    for (const type of [
      'application/json',
      'Application/JSON',
      'application/json; charset=utf-8',
      'application/merge-patch+json',
    ]) {
      expectTaken(await post(JSON.stringify({ project_id: project }), { 'Content-Type': type }));
    }
  });

  it('is checked for PUT, PATCH and DELETE too', async () => {
    for (const [method, path, refused] of [
      ['PUT', '/v1/projects/unknown/tests/unknown/known-failure', expectError],
      ['PATCH', '/v1/projects/unknown', expectError],
      ['DELETE', '/v1/test/result/unknown', expectProblem],
      ['DELETE', '/v1/keys/unknown', expectError],
    ] as const) {
      const send = (content: string, headers = {}) => team.owner.send({ method, path, content, headers });
      const invalid = refused === expectProblem ? 'validation_failed' : 'invalid_request';
      const broken = refused === expectProblem ? 'invalid_json' : 'invalid_request';
      refused(await send('{'), 400, broken);
      refused(await send('[]'), 400, invalid);
      refused(await send('{"unknown":1}'), 400, invalid);
      refused(await send('{}', { 'Content-Type': 'text/plain' }), 415, 'unsupported_media_type');
      refused(await send(' '.repeat(MOST + 1)), 413, 'payload_too_large');
    }
  });
});

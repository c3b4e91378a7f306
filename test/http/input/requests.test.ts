import { expect } from 'chai';
import { answerOf, connected, sendRaw } from '../protocol/raw.js';
import { testServer } from '../../kit/server.js';
import { givenTeam } from '../given.js';

describe('an unusual or broken request', () => {
  const server = testServer();
  const team = givenTeam(server, 'each suite');
  afterEach('and the server still answers', async () => {
    expect((await team.owner.get('/v1/me')).status).to.equal(200);
  });
  const request = (target: string, headers = '') =>
    sendRaw(
      server.url,
      `GET ${target} HTTP/1.1\r\nHost: x\r\nAuthorization: ${team.owner.key}\r\n${headers}\r\n`,
    );

  for (const id of [
    '%00',
    '%zz',
    '%',
    '%2F',
    'a%2Fb',
    '%2e%2e',
    '..',
    '%C3%28',
    '%ED%A0%80',
    '%252F',
    '%20',
  ]) {
    it(`is 404 for the id ${id} in a path of either surface`, async () => {
      for (const path of ['/v1/test/run/', '/v1/test/result/', '/v1/projects/']) {
        const { status, body } = await request(path + id);
        expect(status, path).to.equal(404);
        const { code, error } = JSON.parse(body);
        expect(code ?? error.code).to.equal('not_found');
      }
    });
  }

  it('is 404 for an id with a broken percent-encoding in the query, and 400 for bytes that are not UTF-8', async () => {
    for (const id of ['%zz', '%', '%2F', '+', '%26']) {
      expect((await request(`/v1/test/run/?test_run_id=${id}`)).status, id).to.equal(404);
    }
    for (const bytes of ['%00', '%C3%28', '%FF']) {
      expect((await request(`/v1/test/run/?test_run_id=${bytes}`)).status, bytes).to.equal(400);
    }
    expect((await request('/v1/test/run/?%zz=1')).status).to.equal(400);
    expect((await request('/v1/test/run/?=')).status).to.equal(400);
    expect((await request(`/v1/me?${'a=1&'.repeat(2_000)}`)).status).to.equal(400);
  });

  it('is 404 for a target that is not a path of the API', async () => {
    for (const target of [
      '//',
      '//v1/me',
      '/v1//me',
      '/./v1/me',
      '/v1/test/../me',
      '/%76%31/me',
      '*',
      '/v1/me%20',
    ]) {
      expect((await request(target)).status, target).to.equal(404);
    }
  });

  it('is answered if its target has the absolute form', async () => {
    expect((await request('http://example.org/v1/me')).status).to.equal(200);
  });

  it('is refused with 431 if its headers are too long', async () => {
    for (const [target, headers] of [
      ['/v1/me', `X-Long: ${'x'.repeat(17_000)}\r\n`],
      [`/v1/me?${'x'.repeat(17_000)}`, ''],
      ['/v1/me', 'X-More: yyyyyyyy\r\n'.repeat(2_000)],
    ] as const) {
      const { status, body } = await request(target, headers);
      expect(status).to.equal(431);
      expect(JSON.parse(body).error.details.reason).to.equal('headers_too_large');
    }
  });

  it('is refused with 400 if it is not HTTP', async () => {
    const head = `Host: x\r\nAuthorization: ${team.owner.key}\r\n`;
    for (const broken of [
      'nonsense\r\n\r\n',
      `GET /v1/me HTTP/9.9\r\n${head}\r\n`,
      `GET /v1/\0me HTTP/1.1\r\n${head}\r\n`,
      `GET /v1/projects/é HTTP/1.1\r\n${head}\r\n`,
      `GET /v1/me HTTP/1.1\r\n${head}X\u0001: y\r\n\r\n`,
      `GET /v1/me HTTP/1.1\r\nAuthorization: ${team.owner.key}\r\n\r\n`,
      `POST /v1/projects HTTP/1.1\r\n${head}Content-Length: x\r\n\r\n`,
      `POST /v1/projects HTTP/1.1\r\n${head}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}`,
      `POST /v1/projects HTTP/1.1\r\n${head}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}`,
    ]) {
      expect((await sendRaw(server.url, broken)).status, broken).to.equal(400);
    }
  });

  it('is dropped without harm if it ends early', async () => {
    for (const headers of ['Content-Length: 100', 'Transfer-Encoding: chunked']) {
      const socket = await connected(server.url);
      const type = 'Content-Type: application/json';
      socket.write(
        `POST /v1/projects HTTP/1.1\r\nHost: x\r\nAuthorization: ${team.owner.key}\r\n${type}\r\n${headers}\r\n\r\n5\r\n{"nam`,
      );
      socket.end();
      const { status } = await answerOf(socket);
      expect([0, 400], headers).to.include(status);
    }
    expect((await team.owner.get('/v1/projects')).body.data).to.deep.equal([]);
  });

  it('is refused for a malformed Idempotency-Key', async () => {
    const send = (header: string) =>
      sendRaw(
        server.url,
        `POST /v1/projects HTTP/1.1\r\nHost: x\r\nAuthorization: ${team.owner.key}\r\nContent-Type: application/json\r\n${header}Content-Length: 13\r\n\r\n{"name":"ab"}`,
      );
    for (const value of ['', 'a b', 'é', 'a\tb', 'x'.repeat(256)]) {
      const { status, body } = await send(`Idempotency-Key: ${value}\r\n`);
      expect(status, value).to.equal(400);
      const { code, details } = JSON.parse(body).error;
      expect(code).to.equal('invalid_request');
      expect(details.errors).to.deep.equal([
        {
          pointer: 'Idempotency-Key',
          code: 'malformed',
          detail: 'must be 1 to 255 visible ASCII characters',
        },
      ]);
    }
    expect((await send('Idempotency-Key: a\r\nIdempotency-Key: b\r\n')).status).to.equal(400);
    for (const value of ['x', 'x'.repeat(255), '!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~']) {
      expect((await send(`Idempotency-Key: ${value}\r\n`)).status, value).to.equal(201);
    }
  });

  it('can have a body with GET, which is ignored', async () => {
    const { status } = await request('/v1/me', 'Content-Length: 4\r\nContent-Type: text/plain\r\n');
    expect(status).to.equal(200);
  });
});

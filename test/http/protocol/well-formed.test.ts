import { expect } from 'chai';
import { gzipSync } from 'node:zlib';
import { givenAnnounced, givenProject, givenResult, givenTeam } from '../given.js';
import { sendRaw } from './raw.js';
import { expectFaults } from '../refusals.js';
import { blobRoutesMounted, testServer } from '../../kit/server.js';

describe('a request that the parser accepts', () => {
  const server = testServer();
  const team = givenTeam(server, 'each suite');
  const raw = (line: string, headers: readonly string[], body = '') =>
    sendRaw(server.url, [line, ...headers, '', body].join('\r\n'));
  const codeOf = ({ body }: { body: string }) => {
    const read = JSON.parse(body);
    return read.code ?? read.error.details.reason ?? read.error.code;
  };

  for (const [what, line, headers] of [
    ['two Host headers', 'GET /livez HTTP/1.1', ['Host: a', 'Host: a']],
    ['two Host headers in other cases', 'GET /livez HTTP/1.1', ['HOST: a', 'host: b']],
    ['no Host header', 'GET /livez HTTP/1.1', ['X: y']],
    ...['a b', 'a/b', 'user@a', 'a:port', 'a,b c', '[::1', 'a"b', 'a\\b', '<a>'].map(
      (host) => [`the Host ${host}`, 'GET /livez HTTP/1.1', [`Host: ${host}`]] as const,
    ),
  ] as const) {
    it(`is refused with 400 for ${what}, and its connection closes`, async () => {
      const answer = await raw(line, headers);
      expect(answer.status).to.equal(400);
      expect(codeOf(answer)).to.equal('malformed_request');
      expect(answer.headers).to.match(/^Connection: close/im);
      expect(answer.headers).to.match(/^X-Request-Id: /im);
    });
  }

  for (const host of ['', 'localhost:8080', '[::1]:80', 'Reports.Example.', 'a_b-c', '10.0.0.1:', 'x%20y']) {
    it(`is answered for the Host ${JSON.stringify(host)}`, async () => {
      expect((await raw('GET /livez HTTP/1.1', [`Host: ${host}`])).status).to.equal(200);
    });
  }

  it('is answered without a Host header in HTTP/1.0', async () => {
    expect((await raw('GET /livez HTTP/1.0', ['Connection: keep-alive'])).status).to.equal(200);
  });

  it('is refused with 505 in another version of HTTP', async () => {
    const answer = await raw('GET /v1/me HTTP/2.0', ['Host: a']);
    expect([answer.status, codeOf(answer)]).to.deep.equal([505, 'http_version_not_supported']);
  });

  it('is refused with 501 for a transfer coding other than chunked', async () => {
    const headers = ['Host: x', `Authorization: ${team.owner.key}`, 'Content-Type: application/json'];
    const chunks = '10\r\n{"name":"coded"}\r\n0\r\n\r\n';
    for (const coding of ['gzip, chunked', 'deflate,chunked', 'identity, chunked']) {
      const answer = await raw(
        'POST /v1/projects HTTP/1.1',
        [...headers, `Transfer-Encoding: ${coding}`],
        chunks,
      );
      expect(answer.status, coding).to.equal(501);
      expect(codeOf(answer)).to.equal('not_implemented');
      expect(answer.headers).to.match(/^Connection: close/im);
    }
    const taken = await raw('POST /v1/projects HTTP/1.1', [...headers, 'Transfer-Encoding: Chunked'], chunks);
    expect(taken.status, taken.body).to.equal(201);
  });

  it('keeps all of its header lines, however many fit', async () => {
    const project = await givenProject(team.owner);
    const body = '{"name":"after"}';
    const answer = await raw(
      `PATCH /v1/projects/${project} HTTP/1.1`,
      [
        'Host: x',
        ...Array.from({ length: 3_000 }, () => 'a:1'),
        `Authorization: ${team.owner.key}`,
        'Content-Type: application/json',
        `Content-Length: ${body.length}`,
      ],
      body,
    );
    expect(answer.status, answer.body).to.equal(200);
    expect(JSON.parse(answer.body).data.name).to.equal('after');
  });

  it('may name gzip by its old name, in small bodies and in submissions', async () => {
    const headers = { 'Content-Encoding': 'X-Gzip', 'Content-Type': 'application/json' };
    const send = (path: string, body: object) => {
      const content = new Uint8Array(gzipSync(JSON.stringify(body)));
      return team.owner.send({ method: 'POST', path, headers, content });
    };
    const project = await send('/v1/projects', { name: 'zipped' });
    expect(project.status, project.text).to.equal(201);
    const run = { project_id: project.body.data.id, results: [{ name: 'a test', status: 'passed' }] };
    expect((await send('/v1/test-runs', run)).status).to.equal(201);
  });

  it('is answered with all methods for OPTIONS *', async () => {
    const answer = await raw('OPTIONS * HTTP/1.1', ['Host: x', 'Connection: close']);
    expect(answer.status).to.equal(204);
    expect(/^Allow: (.*)$/im.exec(answer.headers)?.[1]?.split(', ')).to.include.members([
      'DELETE',
      'GET',
      'HEAD',
      'OPTIONS',
      'PATCH',
      'POST',
    ]);
  });

  it('is refused if it uploads a part of a file', async function () {
    // The URLs of S3 do not lead here.
    if (blobRoutesMounted().length === 0) return;
    const project = await givenProject(team.owner);
    const { test_result_id } = await givenResult(team.owner, project);
    const { upload_url } = await givenAnnounced(team.owner, test_result_id);
    const path = upload_url.slice(server.url.length);
    const headers = { 'Content-Range': 'bytes 0-8/18' };
    const part = await server.as(null).send({ method: 'PUT', path, headers, content: 'the bytes' });
    expectFaults(part, 'Content-Range not_valid');
    expect((await server.as(null).send({ method: 'PUT', path, content: 'the bytes' })).status).to.equal(200);
  });
});

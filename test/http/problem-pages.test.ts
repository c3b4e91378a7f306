import { expect } from 'chai';
import { errors, fieldErrors, type ErrorCode } from '../../src/errors.js';
import type { Answer } from '../kit/client.js';
import { testServer } from '../kit/server.js';

const all = Object.keys(errors) as ErrorCode[];
const fields = Object.keys(fieldErrors);
const visible = all.filter((code) => errors[code].internal !== true);
const hidden = all.filter((code) => errors[code].internal === true && !fields.includes(code));

describe('the pages about errors', () => {
  const server = testServer();
  const read = (path: string, accept?: string): Promise<Answer> =>
    server.as(null).get(path, accept === undefined ? {} : { Accept: accept });

  it('are where the type of a problem document leads', async () => {
    const asked = `${server.url}/v1/test/result/`;
    const { type } = (await (await fetch(asked, { method: 'POST' })).json()) as { type: string };
    expect(type).to.equal('/problems/unauthorized');
    const page = await fetch(new URL(type, asked));
    expect(page.status).to.equal(200);
    expect(await page.text()).to.include(errors.unauthorized.title);
  });

  it('exist for each code that a client can meet, with its title, its status and its advice', async () => {
    for (const code of visible) {
      const { status, text } = await read(`/problems/${code}`, 'text/markdown');
      expect(status, code).to.equal(200);
      const { title, advice, status: answered } = errors[code];
      for (const part of [title, advice, `Status ${answered}`]) expect(text, code).to.include(part);
    }
    for (const [code, { title, advice }] of Object.entries(fieldErrors)) {
      const { status, text } = await read(`/problems/${code}`, 'text/markdown');
      expect(status, code).to.equal(200);
      for (const part of [title, advice]) expect(text, code).to.include(part);
    }
  });

  it('do not exist for an unknown code, nor for one that never leaves the server', async () => {
    expect(hidden).to.have.members(['wrong_revision', 'fenced']);
    for (const code of [...hidden, 'unknown', '__proto__', 'constructor', '%3Cscript%3E']) {
      const { status, body } = await read(`/problems/${code}`);
      expect(status, code).to.equal(404);
      expect(body.code, code).to.equal('not_found');
    }
  });

  it('list every code, and each link on them leads to a page', async () => {
    const { text } = await read('/problems');
    const links = new Set([...text.matchAll(/href="([^"]*)"/g)].map(([, link]) => link!));
    expect([...links]).to.have.members(
      [...new Set([...visible, ...fields])].map((code) => `/problems/${code}`),
    );
    for (const link of links) expect((await read(link)).status, link).to.equal(200);
  });

  it('are HTML, and Markdown for a client that prefers it', async () => {
    for (const path of ['/problems', '/problems/validation_failed', '/problems/too_long']) {
      for (const accept of [
        undefined,
        '*/*',
        'text/html',
        'application/json',
        'text/html, text/markdown;q=0.5',
      ]) {
        const { headers, text } = await read(path, accept);
        expect(headers.get('content-type'), accept).to.equal('text/html; charset=utf-8');
        expect(text).to.match(/^<!doctype html>/);
      }
      for (const accept of ['text/markdown', 'text/html;q=0.5, text/markdown']) {
        const { headers, text } = await read(path, accept);
        expect(headers.get('content-type'), accept).to.equal('text/markdown; charset=utf-8');
        expect(text).to.match(/^# /);
      }
      expect((await read(path)).headers.get('vary')).to.equal('Accept');
    }
  });

  it('run no script, load nothing, and cannot be framed', async () => {
    const { headers, text } = await read('/problems/not_text');
    const policy = headers.get('content-security-policy');
    expect(policy).to.match(/^default-src 'none'; style-src 'sha256-[^']+'; /);
    expect(policy).to.include("base-uri 'none'; form-action 'none'; frame-ancestors 'none'");
    expect(headers.get('x-content-type-options')).to.equal('nosniff');
    expect(text).to.not.match(/<script|\son\w+=|https?:/i);
  });
});

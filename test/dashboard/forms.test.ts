import { expect } from 'chai';
import { OPERATOR_TEAM } from '../../src/commands/teams.js';
import { connected, sendRaw } from '../http/protocol/raw.js';
import { maskedToken } from '../../src/dashboard/same-origin.js';
import { eventually } from '../stores.js';
import { pageServer, type Asked } from '../kit/page-server.js';

const path = `/teams/${OPERATOR_TEAM}/team/invitations`;
const form = { role: 'member' };

describe('a form', () => {
  const server = pageServer();

  it('of a page of this server is taken', async () => {
    expect((await server.post(path, { as: 'owner', form })).status).to.equal(200);
    expect(server.people.recorded.map(({ call }) => call)).to.deep.equal(['invite']);
  });

  it('of a browser that sends only the origin is taken', async () => {
    const headers = { 'sec-fetch-site': undefined };
    expect((await server.post(path, { as: 'owner', form, headers })).status).to.equal(200);
  });

  const refused: Record<string, Asked> = {
    'without the token': { form: { ...form, csrf: [] } },
    'with an empty token': { form: { ...form, csrf: '' } },
    'with a wrong token': { form: { ...form, csrf: maskedToken('token-of-the-ownes') } },
    'with the token of another person': { form: { ...form, csrf: maskedToken('token-of-the-admin') } },
    'with the beginning of the token': { form: { ...form, csrf: maskedToken('token-of-the-o') } },
    'of another site': { form, headers: { 'sec-fetch-site': 'cross-site' } },
    'of another host of the same site': { form, headers: { 'sec-fetch-site': 'same-site' } },
    'that no page has sent': { form, headers: { 'sec-fetch-site': 'none' } },
    'with a foreign origin': {
      form,
      headers: { 'sec-fetch-site': undefined, origin: 'https://evil.example' },
    },
    'with the origin null': { form, headers: { 'sec-fetch-site': undefined, origin: 'null' } },
    'that does not say where it comes from': {
      form,
      headers: { 'sec-fetch-site': undefined, origin: undefined },
    },
    'that says cross-site beside a good origin': {
      form,
      headers: { 'sec-fetch-site': 'cross-site' },
    },
  };
  for (const [name, asked] of Object.entries(refused)) {
    it(`${name} is refused, and nothing happens`, async () => {
      const { status } = await server.post(path, { as: 'owner', ...asked });
      expect(status).to.equal(403);
      expect(server.people.recorded).to.deep.equal([]);
    });
  }

  it('has another text for its token on each page, so that how well the page shrinks tells nothing', async () => {
    const tokenOn = async () =>
      /name="csrf" value="([^"]+)"/.exec((await server.get('/account', { as: 'owner' })).text)?.[1];
    const [one, other] = [await tokenOn(), await tokenOn()];
    expect(one).to.match(/^[\w-]{20,}\.[\w-]{20,}$/);
    expect(other).not.to.equal(one);
  });

  it('of another site cannot sign a person in or out', async () => {
    const headers = { 'sec-fetch-site': 'cross-site' };
    const sent = { email: 'mallory@example.org', password: 'a long password' };
    expect((await server.post('/sign-in', { form: sent, headers })).status).to.equal(403);
    expect((await server.post('/sign-out', { as: 'owner', headers })).status).to.equal(403);
    expect((await server.post('/sign-out', { as: 'owner', form: { csrf: 'x' } })).status).to.equal(403);
    expect(server.people.recorded).to.deep.equal([]);
  });

  for (const type of ['text/plain', 'application/json', 'multipart/form-data; boundary=x', undefined]) {
    it(`with the type ${type ?? '(none)'} is refused`, async () => {
      const { status } = await server.post(path, { as: 'owner', form, headers: { 'content-type': type } });
      expect(status).to.equal(415);
      expect(server.people.recorded).to.deep.equal([]);
    });
  }

  it('has at most 64 KiB', async () => {
    const { status } = await server.post(path, { as: 'owner', form: { role: 'x'.repeat(70_000) } });
    expect(status).to.equal(413);
    expect(server.people.recorded).to.deep.equal([]);
  });

  const begun = (more: string) =>
    [
      'POST /sign-in HTTP/1.1',
      `Host: ${new URL(server.url).host}`,
      'Content-Type: application/x-www-form-urlencoded',
      'Sec-Fetch-Site: same-origin',
      `${more}\r\n\r\n`,
    ].join('\r\n');

  it('is refused as soon as it is too large, though it goes on for ever', async () => {
    const part = `10000\r\n${'x'.repeat(0x10000)}\r\n`;
    const answer = await sendRaw(server.url, begun('Transfer-Encoding: chunked'), part, part);
    expect(answer.status).to.equal(413);
    expect(answer.headers).to.match(/^connection: close$/im);
  });

  /** Begins a form that waits until it may come. `answer`: the first bytes from the server. */
  async function waiting(bytes: number) {
    const socket = await connected(server.url);
    const answer = new Promise<string>((done) => {
      socket.once('data', (data) => done(data.toString()));
    });
    socket.write(begun(`Content-Length: ${bytes}\r\nExpect: 100-continue`));
    return { socket, answer };
  }

  it('is sent by a client that waits until it may', async () => {
    const { socket, answer } = await waiting(8);
    expect(await answer).to.match(/^HTTP\/1.1 100 /);
    socket.destroy();
  });

  it('of another site is refused before any of it is read', async () => {
    const head = begun('Content-Length: 100').replace('same-origin', 'cross-site');
    const answer = await sendRaw(server.url, head);
    expect(answer.status).to.equal(403);
  });

  it('of a stranger waits while 2 MiB are arriving from strangers at its address, and that of a person does not', async () => {
    const begunOnes = await Promise.all(Array.from({ length: 32 }, () => waiting(64 * 1_024)));
    for (const { answer } of begunOnes) expect(await answer).to.match(/^HTTP\/1.1 100 /);
    const next = await waiting(8);
    let isNext = false;
    void next.answer.then(() => (isNext = true));
    expect((await server.post(path, { as: 'owner', form })).status).to.equal(200);
    expect(isNext).to.equal(false);
    begunOnes[0]!.socket.destroy();
    expect(await next.answer).to.match(/^HTTP\/1.1 100 /);
    for (const { socket } of [...begunOnes, next]) socket.destroy();
  });

  it('that breaks off is no fault of the server', async () => {
    const before = server.lines.length;
    const socket = await connected(server.url);
    socket.write(`${begun('Content-Length: 100')}email=`, () => socket.destroy());
    const own = () => server.lines.slice(before);
    await eventually('the answer', () =>
      own().some((line) => line.includes('"path":"/sign-in","status":400')),
    );
    expect(own().filter((line) => line.includes('aborted'))).to.deep.equal([]);
  });

  it('without a session leads to the sign-in, and nothing happens', async () => {
    const { status, headers } = await server.post(path, { form });
    expect(status).to.equal(303);
    expect(headers.location).to.match(/^\/sign-in\?next=/);
    expect(server.people.recorded).to.deep.equal([]);
  });
});

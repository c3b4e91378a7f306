import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { OPERATOR_TEAM } from '../../../src/commands/teams.js';
import { api } from '../../kit/client.js';
import { OWNER_KEY } from '../../kit/environment.js';
import { eventually } from '../../stores.js';
import { actionsOf, pageServer, unescaped } from '../../kit/page-server.js';

const run = promisify(execFile);
const path = `/teams/${OPERATOR_TEAM}/team/keys`;

describe('the page of API keys', () => {
  const server = pageServer();
  const large = pageServer({ BOOTSTRAP_API_KEY: OWNER_KEY });
  const textsToCopy = (html: string) =>
    [...html.matchAll(/<copy-button data-text="([^"]*)"/g)].map(([, text]) => unescaped(text!));
  const created = async (name: string, role: string, project?: string) => {
    const form = { name, role, ...(project !== undefined && { project }) };
    const { status, text } = await server.post(path, { as: 'admin', form });
    expect(status).to.equal(200);
    return { text, copied: textsToCopy(text) };
  };

  it('shows a new key once, with a command that posts a first run as it is', async function () {
    expect((await server.get(path, { as: 'admin' })).text).to.include('name="project"');
    const { copied } = await created('ci', 'member', 'Web shop');
    const [key, command] = copied as [string, string];
    expect(key).to.match(/^tl_/);
    const { stdout } = await run('sh', ['-c', `${command} -sS`]);
    const { data } = JSON.parse(stdout);
    expect(data.id).to.match(/^run_/);
    const { text } = await server.get(path, { as: 'admin' });
    expect(text).to.include(key.slice(0, 6)).and.not.include(key);
    await eventually('the project to be there', async () => {
      const { text } = await server.get(path, { as: 'admin' });
      return !text.includes('name="project"');
    });
  });

  it('shows no command for a key that cannot post', async () => {
    const { copied } = await created('wallboard', 'viewer');
    expect(copied).to.have.length(1);
  });

  it('names the person who made a key', async () => {
    await created('by me', 'member');
    const { text } = await server.get(path, { as: 'admin' });
    expect(text).to.match(/by me<\/span>.*?by you/s);
  });

  it('names the key that made a key, on whichever page the maker is', async () => {
    const server = large;
    const post = async (name: string, by: string) => {
      const client = api(() => server.url, by);
      return (await client.post('/v1/keys', { name, role: 'admin' })).body.data as {
        id: string;
        key: string;
      };
    };
    const maker = await post('admin key', OWNER_KEY);
    const other = await post('other key', maker.key);
    for (let n = 0; n < 108; n += 1) await post(`made ${n}`, maker.key);
    await post('made by the other', other.key);
    const calls = await Promise.all(
      [1, 2, 3].map((page) => server.get(`${path}?page=${page}`, { as: 'admin' })),
    );
    const by = (text: string) =>
      [...text.matchAll(/by (the (?:key|server)[^<]*|key_\w+)/g)].map(([, who]) => who);
    const found = calls.map(({ text }) => [...new Set(by(text))]);
    expect(found).to.deep.equal([
      ['the key “admin key”', 'the key “bootstrap”', 'the server'],
      ['the key “admin key”'],
      ['the key “other key”', 'the key “admin key”'],
    ]);
  });

  it('says which keys work no more, or with fewer rights, since their person left or was demoted', async () => {
    await created('of a demoted person', 'admin');
    const [admin] = (await server.people.members(OPERATOR_TEAM)).filter(({ role }) => role === 'admin');
    server.people.next('members', async () => [{ ...admin!, role: 'viewer' }]);
    const demoted = await server.get(path, { as: 'owner' });
    expect(demoted.text).to.match(/of a demoted person.*?works as viewer, as its person does/s);
    server.people.next('members', async () => []);
    const left = await server.get(path, { as: 'owner' });
    expect(left.text).to.match(/of a demoted person.*?refused: its person has left.*?by Somebody who left/s);
  });

  it('gives no role above that of the person', async () => {
    expect((await server.get(path, { as: 'admin' })).text).to.not.include('value="owner"');
    const { status, text } = await server.post(path, { as: 'admin', form: { name: 'high', role: 'owner' } });
    expect(status).to.equal(403);
    expect(text).to.include('cannot make a key of role owner').and.not.include('<copy-button');
  });

  it('says what is wrong with a name, and keeps it', async () => {
    const { status, text } = await server.post(path, { as: 'admin', form: { name: 'x', role: 'member' } });
    expect(status).to.equal(400);
    expect(text).to.include('class="field-error"').and.include('value="x"');
  });

  it('revokes a key, which is refused from then on', async () => {
    const { copied } = await created('to be revoked', 'member');
    const me = () => fetch(`${server.url}/v1/me`, { headers: { Authorization: copied[0]! } });
    expect((await me()).status).to.equal(200);
    const { text } = await server.get(path, { as: 'admin' });
    const row = /<tr[^>]*>(?:(?!<tr).)*to be revoked.*?<\/tr>/s.exec(text)![0];
    const [action] = actionsOf({ status: 200, headers: {}, text: row });
    const { headers } = await server.post(action!, { as: 'admin' });
    expect(headers.location).to.equal(path);
    expect((await me()).status).to.equal(401);
    expect((await server.get(path, { as: 'admin' })).text).to.include('1 revoked');
  });

  it('says why a key above the role of the person stays', async () => {
    await server.post(path, { as: 'owner', form: { name: 'of an owner', role: 'owner' } });
    const row = async (as: string) =>
      /<tr[^>]*>(?:(?!<tr).)*of an owner.*?<\/tr>/s.exec((await server.get(path, { as })).text)![0];
    const [action] = actionsOf({ status: 200, headers: {}, text: await row('owner') });
    expect(actionsOf({ status: 200, headers: {}, text: await row('admin') })).to.deep.equal([]);
    const answer = await server.post(action!, { as: 'admin' });
    expect(answer.status).to.equal(403);
    expect(answer.text).to.include('cannot revoke a key of role owner');
  });
});

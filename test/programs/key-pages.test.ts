import { expect } from 'chai';
import { testIdOf } from '../../src/domain/test-history/test.js';
import { givenKey, givenProject, givenSubmission } from '../http/given.js';
import { testServer, type Team } from '../kit/server.js';
import { agentAt } from './mcp-client.js';

const MOST_BYTES = 20_480;

describe('Pages for an API key', () => {
  const server = testServer();
  let team: Team;
  let project: string;
  let paths: string[];
  before(async () => {
    team = await server.newTeam();
    project = await givenProject(team.owner, { name: 'Shop' });
    // The error of each is another one, and some is long: a page has no room for all of them.
    const failures = Array.from({ length: 300 }, (_, n) => ({
      name: `pays with card ${n} ${'long '.repeat(20)}`,
      status: 'failed',
      error_message: `Card ${String.fromCodePoint(0x4e00 + n).repeat(20)} is refused ${'why '.repeat(300)}`,
    }));
    const { run, results } = await givenSubmission(team.owner, project, [
      { name: 'evil `\u202e` [x](https://evil.example) @all', status: 'failed', error_message: 'boom' },
      ...failures,
    ]);
    const result = (await team.owner.get(`/v1/test-results/${results[0]!}`)).body.data;
    paths = [
      `/runs/${run}`,
      `/groups/${project}/${result.group.id}`,
      `/results/${result.id}`,
      `/tests/${testIdOf(project, result.name.toWellFormed())}`,
    ];
  });

  async function read(path: string, key: string | null) {
    const headers = key === null ? {} : { Authorization: key };
    const answer = await fetch(server.url + path, { headers, redirect: 'manual' });
    return { status: answer.status, headers: answer.headers, text: await answer.text() };
  }

  for (const end of ['.md', '.json']) {
    it(`are at most 20,480 bytes with the position and whole links, as ${end}`, async () => {
      for (const path of paths) {
        const { status, headers, text } = await read(path + end, team.owner.key);
        expect(status, `${path}${end} ${text}`).to.equal(200);
        expect(headers.get('Content-Type')).to.match(
          end === '.md' ? /^text\/markdown/ : /^application\/json/,
        );
        expect(Buffer.byteLength(text)).to.be.at.most(MOST_BYTES);
        if (end === '.md') expect(text).to.match(/\nPosition: \d+\n$/);
        else expect(JSON.parse(text).position).to.match(/^\d+$/);
        expect(text).to.include(server.url);
        expect(headers.get('RateLimit') ?? '').to.be.a('string');
      }
    });
  }

  it('count what was left out, and link it', async () => {
    const { text } = await read(`${paths[0]}.md`, team.owner.key);
    const [, count, address] = /Left out here: .*?(\d+) other causes of failures.*<(.*)>/.exec(text)!;
    expect(Number(count)).to.be.above(100);
    const whole = await read(new URL(address!).pathname, team.owner.key);
    expect(JSON.parse(whole.text).pagination.total).to.equal(301);
    const json = JSON.parse((await read(`${paths[0]}.json`, team.owner.key)).text);
    expect(json.groups.length).to.be.above(0);
    expect(json.groups_total).to.equal(301);
  });

  it('say of a failure group how it stands, who works on it, its ticket and its note', async () => {
    const stack = '\u001b[31mError\u001b[39m: The bank says no\n    at pay (src/pay.ts:3:1)';
    const error = { message: 'The bank says \u001b[31mno\u001b[39m', stack };
    const items = [{ name: 'refunds', status: 'failed', metadata: { error } }];
    const { results } = await givenSubmission(team.owner, project, items, { metadata: { branch: 'main' } });
    const { group } = (await team.owner.get(`/v1/test-results/${results[0]!}`)).body.data;
    const api = `/v1/projects/${project}/failures/${group.id}`;
    const ticket = 'https://tickets.example/7';
    const said = { owner: 'Mia', note: 'See `the log`.\nOf the bank.', ticket };
    expect((await team.owner.patch(api, { state: 'fixed', ...said })).status).to.equal(200);
    const page = `/groups/${project}/${group.id}`;
    const fixed = (await read(`${page}.md`, team.owner.key)).text;
    expect(fixed).to.match(/^- State: fixed since .*, as .* said$/m);
    expect(fixed).to.contain('owner Mia').and.contain(`- Ticket: <${ticket}>`);
    expect(fixed).to.match(/^Note:\n\n {4}See `the log`\.\n {4}Of the bank\.$/m);
    const agent = await agentAt(server.url, team.owner.key!);
    const brief = (await agent.call('failure_brief', { project_id: project, group: group.id })).data;
    await agent.close();
    for (const json of [JSON.parse((await read(`${page}.json`, team.owner.key)).text), brief])
      expect(json).to.include({ state: 'fixed', named_owner: 'Mia', note: said.note, ticket });
    // A program needs no colours, which cost it bytes.
    expect(brief.example.message).to.equal('The bank says no');
    expect(brief.example.stack).to.equal('Error: The bank says no\n    at pay (src/pay.ts:3:1)');

    const expires_at = new Date(Date.now() + 86_400_000).toISOString();
    const known = { reason: 'Issue 7', expires_at, branch: 'main' };
    const put = { method: 'PUT', path: `${api}/known-failure`, content: JSON.stringify(known) };
    expect((await team.owner.send(put)).status).to.equal(200);
    const { text } = await read(`${page}.md`, team.owner.key);
    expect(text).to.match(/^- Known failure: Issue 7 \(.*\), until .*, only on main$/m);
  });

  it('link only what the key opens', async () => {
    for (const path of paths) {
      const { text } = await read(`${path}.md`, team.owner.key);
      const links = [...text.matchAll(new RegExp(`${server.url}[^\\s>)]*`, 'g'))].map(([link]) => link);
      expect(links).not.to.deep.equal([]);
      for (const link of new Set(links.slice(0, 5)))
        expect((await read(link.slice(server.url.length), team.owner.key)).status, link).to.equal(200);
    }
  });

  it('do not exist for another team, a narrowed key and a wrong id, and need a key that is valid', async () => {
    const other = await server.newTeam();
    const elsewhere = await givenProject(team.owner);
    const narrowed = await team.owner.post('/v1/keys', {
      name: 'narrowed',
      role: 'viewer',
      project_ids: [elsewhere],
    });
    for (const path of paths.flatMap((each) => [`${each}.md`, `${each}.json`, each])) {
      expect((await read(path, other.owner.key)).status, path).to.equal(404);
      expect((await read(path, narrowed.body.data.key)).status, path).to.equal(404);
      expect((await read(path, 'tl_wrong')).status, path).to.equal(401);
      expect((await read(path.replace(/_[0-9a-z]+/g, '_x'), team.owner.key)).status, path).to.equal(404);
    }
  });

  it('open for each role of a key as the routes do from which they are read', async () => {
    for (const role of ['reporter', 'viewer', 'member', 'admin'] as const) {
      const key = await givenKey(team.owner, role);
      for (const path of paths)
        expect((await read(`${path}.md`, key)).status, `${role} ${path}`).to.equal(200);
    }
  });

  it('lead a person without a key to the sign-in', async () => {
    for (const path of paths) expect((await read(`${path}.md`, null)).status, path).to.equal(303);
  });
});

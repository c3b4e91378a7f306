import { expect } from 'chai';
import { givenKey, givenProject } from '../http/given.js';
import { expectError } from '../http/refusals.js';
import { testServer, type Team } from '../kit/server.js';
import { agentAt, type Agent, type Told } from './mcp-client.js';
import { callsOf, givenIds, HOSTILE, MOST_BYTES, readers, unknown, writers, type Ids } from './tool-calls.js';

describe('MCP', () => {
  const server = testServer();
  let team: Team;
  let ids: Ids;
  const open: Agent[] = [];
  const agent = async (key: string): Promise<Agent> => {
    const opened = await agentAt(server.url, key);
    open.push(opened);
    return opened;
  };
  before(async () => {
    team = await server.newTeam();
    ids = await givenIds(team);
  });
  after(() => Promise.all(open.map((each) => each.close())));

  it('lists every tool of the contract, those that change something to members alone', async () => {
    expect(await (await agent(team.owner.key!)).names()).to.deep.equal([...readers, ...writers]);
    for (const role of ['reporter', 'viewer']) {
      const { names } = await agent(await givenKey(team.owner, role));
      expect(await names(), role).to.deep.equal(readers);
    }
    expect(await (await agent(await givenKey(team.owner, 'member'))).names()).to.include.members(writers);
  });

  it('answers each tool with its position in at most 20,480 bytes', async () => {
    const { call } = await agent(team.owner.key!);
    const told: Told[] = [];
    for (const [name, given] of [...callsOf(ids), ['find_runs', {}], ['events_since', {}]] as const) {
      const answer = await call(name, given);
      expect(answer.isError, `${name} ${JSON.stringify(answer.error)}`).to.equal(false);
      expect(answer.position, name).to.match(/^\d+$/);
      expect(answer.bytes, name).to.be.at.most(MOST_BYTES);
      told.push(answer);
    }
    const since = await call('events_since', { after: told[0]!.position });
    expect(since.isError, JSON.stringify(since.error)).to.equal(false);
    expect(told[0]!.data.runs).to.have.lengthOf(2);
    expect(told[0]!.data.runs[0]).to.include.keys('tool', 'environment_key');
    expect(told[1]!.data.verdict).to.include('201');
    expect(told[9]!.data.beginning).to.match(/^first line/);
    expect(told[9]!.data.end).to.match(/last line$/);
    expect(told[11]!.data.known_failure.reason).to.equal('Issue 7');
  });

  it('fences names and messages as data, without characters that nobody sees', async () => {
    const { call } = await agent(team.owner.key!);
    const { data, isError } = await call('test_brief', { test_id: ids.test });
    expect(isError).to.equal(false);
    expect(data.test.name).to.equal(HOSTILE.replace('\u202e', ' '));
  });

  it('goes on after a part of a list, and ends', async () => {
    const { call } = await agent(team.owner.key!);
    const seen: string[] = [];
    for (let after: string | undefined; ;) {
      const { data } = await call('find_runs', {
        project_id: ids.project,
        limit: 1,
        ...(after && { after }),
      });
      seen.push(...data.runs.map(({ id }: { id: string }) => id));
      if (data.next === null) break;
      after = data.next;
    }
    expect(seen).to.have.lengthOf(2).and.include(ids.run);
    const positions: string[] = [];
    for (let after: string | undefined; ;) {
      const { data, bytes } = await call('events_since', { limit: 5, ...(after && { after }) });
      expect(bytes).to.be.at.most(MOST_BYTES);
      positions.push(...data.events.map(({ position }: { position: string }) => position));
      if (data.caught_up) break;
      expect(data.next).not.to.equal(after);
      after = data.next;
    }
    expect(new Set(positions).size).to.equal(positions.length);
    const { body } = await team.owner.get('/v1/events?limit=1000');
    expect(positions).to.include.members(body.data.map(({ position }: { position: string }) => position));
  });

  it('answers unknown ids, those of another team and those beyond the key alike, as errors of the tool that name the argument', async () => {
    const other = await server.newTeam();
    const elsewhere = await givenProject(team.owner);
    const narrowed = await team.owner.post('/v1/keys', {
      name: 'Narrowed',
      role: 'viewer',
      project_ids: [elsewhere],
    });
    expect(narrowed.status, narrowed.text).to.equal(201);
    for (const [key, asked] of [
      [team.owner.key!, unknown],
      [other.owner.key!, ids],
      [narrowed.body.data.key, ids],
    ] as const) {
      const { call } = await agent(key);
      for (const [name, given] of callsOf(asked)) {
        const { isError, error, position } = await call(name, given);
        expect(isError, name).to.equal(true);
        expect(error.code, name).to.equal('not_found');
        expect(error.argument, name).to.be.oneOf(Object.keys(given));
        expect(position, name).to.match(/^\d*$/);
      }
      if (asked === unknown) continue;
      for (const [name, given] of [
        ['find_runs', {}],
        ['events_since', {}],
      ] as const)
        expect(JSON.stringify(await call(name, given)), name).not.to.include(ids.project);
    }
  });

  it('refuses a wrong argument by its name', async () => {
    const { call } = await agent(team.owner.key!);
    for (const [name, given, argument] of [
      ['run_brief', {}, 'run_id'],
      ['run_brief', { run_id: 7 }, 'run_id'],
      ['run_brief', { run_id: ids.run, more: 'x' }, 'more'],
      ['run_brief', { run_id: ids.run, baseline: unknown.run }, 'baseline'],
      ['find_runs', { project_id: ids.project, limit: 51 }, 'limit'],
      ['find_runs', { project_id: ids.project, after: 'x' }, 'after'],
      ['events_since', { after: 'x' }, 'after'],
      ['history', { run_id: ids.run, test_id: ids.test }, 'test_id'],
      ['set_known_failure', { test_id: ids.test, reason: 'x', expires_at: 'soon' }, 'expires_at'],
      ['end_known_failure', { test_id: ids.test, branch: 'none' }, 'branch'],
    ] as const) {
      const { isError, error } = await call(name, given);
      expect(isError, name).to.equal(true);
      expect(error.argument, `${name} ${JSON.stringify(error)}`).to.equal(argument);
    }
    expect((await call('drop_all')).error.code).to.equal('not_found');
  });

  it('does for each role what the routes do from which a tool reads', async () => {
    for (const role of ['reporter', 'viewer', 'member', 'admin'] as const) {
      const { call } = await agent(await givenKey(team.owner, role));
      for (const [name, given] of [...callsOf(ids), ['events_since', {}]] as [string, object][]) {
        const mayNot = role === 'reporter' ? [...writers, 'events_since'] : role === 'viewer' ? writers : [];
        const { error } = await call(name, { ...given });
        expect(error?.code, `${role} ${name}`).to.equal(mayNot.includes(name) ? 'forbidden' : undefined);
      }
    }
  });

  it('refuses a body that is no message as the API refuses any other', async () => {
    const answer = await team.owner.post('/mcp', { jsonrpc: '2.0', id: null, method: '', error: {} });
    expectError(answer, 400, 'invalid_request');
  });

  it('needs a key that is valid, and has no stream to open', async () => {
    for (const headers of [{}, { Authorization: 'tl_wrong' }])
      expect((await fetch(`${server.url}/mcp`, { method: 'POST', headers, body: '{}' })).status).to.equal(
        401,
      );
    const answer = await fetch(`${server.url}/mcp`, { headers: { Authorization: team.owner.key! } });
    expect(answer.status).to.equal(405);
  });
});

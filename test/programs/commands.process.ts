import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { expect } from 'chai';
import { fileURLToPath } from 'node:url';
import { givenKey } from '../http/given.js';
import { cliMain, testledger } from '../kit/command.js';
import { testServer, type Team } from '../kit/server.js';
import { agentOver } from './mcp-client.js';
import { callsOf, givenIds, HOSTILE, MOST_BYTES, readers, unknown, writers, type Ids } from './tool-calls.js';

const clientMain = fileURLToPath(new URL('../../clients/testledger.mjs', import.meta.url));

describe('testledger: the commands for programs', () => {
  const server = testServer();
  let team: Team;
  let ids: Ids;
  before(async () => {
    team = await server.newTeam();
    ids = await givenIds(team);
  });
  const env = () => ({ TESTLEDGER_URL: server.url, TESTLEDGER_API_KEY: team.owner.key! });
  const run = (...args: string[]) => testledger(args, env());

  for (const program of [cliMain, clientMain]) {
    it(`gives the official client every tool on stdin and stdout, by ${program.split('/').at(-1)}`, async () => {
      const agent = await agentOver(
        new StdioClientTransport({ command: process.execPath, args: [program, 'mcp'], env: env() }),
      );
      try {
        expect(await agent.names()).to.deep.equal([...readers, ...writers]);
        for (const [name, given] of [...callsOf(ids), ['events_since', {}]] as [string, object][]) {
          const { isError, error, bytes, position } = await agent.call(name, { ...given });
          expect(isError, `${name} ${JSON.stringify(error)}`).to.equal(false);
          expect(bytes).to.be.at.most(MOST_BYTES);
          expect(position).not.to.equal('');
        }
        for (const [name, given] of callsOf(unknown))
          expect((await agent.call(name, given)).error.code, name).to.equal('not_found');
      } finally {
        await agent.close();
      }
    });
  }

  it('says on stdout what the server refuses an agent on stdin, so that it does not wait', async () => {
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [cliMain, 'mcp'],
      env: { ...env(), TESTLEDGER_API_KEY: 'tl_wrong' },
      stderr: 'ignore',
    });
    const failed = await agentOver(transport).catch((error: unknown) => String(error));
    expect(failed).to.match(/unauthorized/i);
    await transport.close();
  });

  it('prints a run in at most 20,480 bytes, as Markdown and as JSON', async () => {
    const shown = await run('brief', ids.run);
    expect(shown.code, shown.stderr).to.equal(0);
    expect(shown.stdout)
      .to.match(/^# /)
      .and.match(/\nPosition: \d+\n$/);
    expect(Buffer.byteLength(shown.stdout)).to.be.at.most(MOST_BYTES);
    expect((await run('brief', ids.run, '--json')).document().id).to.equal(ids.run);
    const missing = await run('brief', unknown.run);
    expect([missing.code, missing.stdout]).to.deep.equal([4, '']);
    expect((await testledger(['brief', ids.run], { TESTLEDGER_URL: server.url })).code).to.equal(2);
  });

  it('sets, lists and ends known failures, of a test by its id and by its name', async () => {
    const set = await run('known', 'set', ids.test, '--reason', 'Issue 7', '--until', '2099-01-01');
    expect(set.code).to.equal(4);
    const until = new Date(Date.now() + 86_400_000).toISOString();
    for (const named of [[ids.test], [HOSTILE, '--project', ids.project]]) {
      const done = await run('known', 'set', ...named, '--reason', 'Issue 7', '--until', until, '--json');
      expect(done.document().known_failure.reason, done.stderr).to.equal('Issue 7');
      const { known } = (await run('known', 'list', '--project', ids.project, '--json')).document();
      expect(known.map(({ test_id }: { test_id: string }) => test_id)).to.deep.equal([ids.test]);
      expect((await run('known', 'list', '--project', ids.project)).stdout).to.include('Issue 7');
      expect((await run('known', 'end', ...named)).code).to.equal(0);
    }
    const key = await givenKey(team.owner, 'viewer');
    const refused = await testledger(['known', 'end', ids.test], { ...env(), TESTLEDGER_API_KEY: key });
    expect(refused.code).to.equal(4);
  });

  it('are named by /llms.txt with whole addresses, which needs no key', async () => {
    const answer = await fetch(`${server.url}/llms.txt`);
    expect(answer.status).to.equal(200);
    const text = await answer.text();
    for (const path of ['/mcp', '/openapi.json', '/runs/{run_id}.md', '/clients/'])
      expect(text).to.include(`(${server.url}${path})`);
  });
});

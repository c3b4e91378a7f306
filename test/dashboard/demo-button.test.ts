import { expect } from 'chai';
import { givenProject, givenSubmission } from '../http/given.js';
import { OPERATOR_TEAM } from '../../src/commands/teams.js';
import type { PageRequest } from '../../src/dashboard/page.js';
import { demo } from '../../src/dashboard/pages/today/demo.js';
import { labelOf, runsSuite } from '../../src/demo/runs.js';
import { pushes } from '../../src/demo/story.js';
import { suites } from '../../src/demo/suites.js';
import { api } from '../kit/client.js';
import { OWNER_KEY } from '../kit/environment.js';
import { pageServer } from '../kit/page-server.js';
import { eventually } from '../stores.js';

describe('the demo of a new team', () => {
  const server = pageServer({ BOOTSTRAP_API_KEY: OWNER_KEY });
  const client = api(() => server.url, OWNER_KEY);
  const path = `/teams/${OPERATOR_TEAM}`;

  it('is offered to whoever may make a project', async () => {
    const offered = async (as: string) => (await server.get(path, { as })).text.includes(`${path}/demo"`);
    expect(await offered('admin')).to.equal(true);
    expect(await offered('member')).to.equal(false);
  });

  it('is not offered to a team with runs of its own', async () => {
    await givenSubmission(client, await givenProject(client, { name: 'Ours' }), [{ name: 'pays' }]);
    const { text } = await server.get(path, { as: 'admin' });
    expect(text).not.to.include('First steps').and.not.to.include(`${path}/demo"`);
  });
});

describe('a demo that was interrupted', () => {
  const created_at = new Date(Date.now() - 3_600_000).toISOString();
  const ago = (ms: number) => new Date(Date.now() - ms).toISOString();

  /** Presses the button of a team whose demo has some runs. `last`: when the newest of them came. */
  async function pressed(
    came: readonly string[],
    { last, description }: { last: string; description: string },
  ) {
    const project = { id: 'project_1', name: 'Demo', description, created_at };
    const sent: { label: string }[] = [];
    let isComplete = false;
    const pagination = { page: 1, total_pages: 1, total: came.length };
    const api = {
      async get(path: string, { query }: { query: { q?: string } }) {
        if (path === '/v1/projects') return { data: [project], pagination };
        if (path.endsWith('/tests')) return { data: [{ id: 'test_1', name: query.q }] };
        return { data: came.map((label) => ({ label, created_at: last, shards: null })), pagination };
      },
      async send(method: string, path: string, { body }: { body: any }) {
        if (path === '/v1/projects') throw new Error('a second demo');
        if (path === '/v1/test-runs') sent.push(body);
        if (method === 'patch') isComplete = !body.description.includes('being filled');
        return { data: { id: 'run_1', result_id_prefix: 'result_1_' } };
      },
    };
    const team = { team_id: 'team_1', role: 'admin' };
    const request = { api, team, report: (error: unknown) => expect.fail(String(error)) };
    const reply = await demo.handle(request as unknown as PageRequest);
    expect(reply).to.deep.equal({ redirect: '/teams/team_1/projects/project_1' });
    return { sent, isComplete: () => isComplete };
  }
  const unfinished = 'A made-up web shop, to look around in. It is being filled.';

  it('goes on with the runs that are missing', async () => {
    const story = pushes(Date.parse(created_at), 14);
    const labels = story.flatMap((push, n) =>
      suites
        .filter((suite) => suite.project === 'Web shop' && runsSuite(push, suite))
        .map((suite) => labelOf(suite, 4_210 + n)),
    );
    expect(labels.length).to.be.above(40);
    const missing = labels.filter((label) => label.startsWith('components ')).slice(1, 3);
    const came = labels.filter((label) => !missing.includes(label)).toReversed();
    const { sent, isComplete } = await pressed(came, { last: ago(61_000), description: unfinished });
    await eventually('the rest of the demo', isComplete);
    expect(sent.map(({ label }) => label)).to.deep.equal(missing);
  });

  it('is left alone while runs come, and once it is complete', async () => {
    const going = await pressed(['a run'], { last: ago(1_000), description: unfinished });
    const done = await pressed(['a run'], { last: ago(61_000), description: 'Ours by now' });
    for (const { sent } of [going, done]) expect(sent).to.deep.equal([]);
  });
});

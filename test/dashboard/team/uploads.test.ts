import { expect } from 'chai';
import { OPERATOR_TEAM } from '../../../src/commands/teams.js';
import { pageServer } from '../../kit/page-server.js';

const path = `/teams/${OPERATOR_TEAM}/team`;
const BOOTSTRAP_API_KEY = 'tl_HttpSuiteBootstrapKey0000000000wNH7m';

describe('the page of uploads', () => {
  const server = pageServer({ BOOTSTRAP_API_KEY });
  const shown = async () => (await server.get(`${path}/uploads`, { as: 'member' })).text;
  const submitted = async (body: string, key = BOOTSTRAP_API_KEY) => {
    const headers = { Authorization: key, 'Content-Type': 'application/json' };
    return (await fetch(`${server.url}/v1/test-runs`, { method: 'POST', headers, body })).status;
  };

  it('says that nothing came yet', async () => {
    expect(await shown()).to.include('No run was submitted in the last 24 hours.');
  });

  it('counts what was accepted and what was rejected, with the reason and what helps', async () => {
    const headers = { Authorization: BOOTSTRAP_API_KEY, 'Content-Type': 'application/json' };
    const made = await fetch(`${server.url}/v1/projects`, {
      method: 'POST',
      headers,
      body: '{"name":"Shop"}',
    });
    const { data } = (await made.json()) as { data: { id: string } };
    const run = JSON.stringify({
      project_id: data.id,
      results: [{ name: 'adds an item', status: 'passed' }],
    });
    expect(await submitted(run)).to.equal(201);
    expect(await submitted('{')).to.equal(400);
    expect(await submitted('{}')).to.equal(400);
    expect(await submitted('{}')).to.equal(400);
    expect(await submitted(run, 'tl_nobody')).to.equal(401);
    const text = await shown();
    expect(text).to.include('1 submission accepted, 3 rejected in the last 24 hours');
    expect(text).to.match(/The request is not valid.*?<td class="number">2</s);
    expect(text).to.match(/The body is not valid JSON.*?<td class="number">1</s);
    expect(text).to.include('href="/problems/invalid_json"');
  });

  it('says that the counts are those of all processes of this server, and of no other server', async () => {
    const text = (await shown()).replace(/\s+/g, ' ');
    expect(text).to.include(
      'those of all processes of this server, since the start of the process that answers',
    );
    expect(text).to.include('Another server on the same stores has counts of its own');
  });
});

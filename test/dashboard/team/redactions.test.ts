import { expect } from 'chai';
import { OPERATOR_TEAM } from '../../../src/commands/teams.js';
import { pages } from '../../../src/dashboard/pages.js';
import { eventually } from '../../stores.js';
import { api } from '../../kit/client.js';
import { actionsOf, pageServer } from '../../kit/page-server.js';

const base = `/teams/${OPERATOR_TEAM}`;
const path = `${base}/team/redactions`;
const SECRET = 'hunter2 & <the rest>';

describe('the pages of redactions', () => {
  const server = pageServer();
  const as = 'admin';
  const reason = 'a password was in the log';
  let client: ReturnType<typeof api>;
  let project: string;
  before(async () => {
    const form = { name: 'ci', role: 'member', project: 'Shop' };
    const { text } = await server.post(`${base}/team/keys`, { as, form });
    client = api(() => server.url, /data-text="(tl_[^"]+)"/.exec(text)![1]!);
    project = (await client.get('/v1/projects')).body.data[0].id;
  });

  async function givenFailure(test_name: string, message: string) {
    const metadata = { error: { message } };
    const run = await client.post('/v1/test/run/', { project_id: project, label: `of ${test_name}` });
    const { test_run_id } = run.body;
    const fields = { project_id: project, test_run_id, test_name, status: 'Failed', metadata };
    const { body, status, text } = await client.post('/v1/test/result/', fields);
    expect(status, text).to.equal(200);
    return { run: `${base}/runs/${test_run_id}`, result: `${base}/results/${body.test_result_id}` };
  }

  it('of a result and of a run take a reason, and hide what they name', async () => {
    const { run, result } = await givenFailure('signs in', SECRET);
    expect((await server.get(result, { as })).text).to.include('hunter2');
    for (const page of [run, result])
      expect(actionsOf(await server.get(page, { as })), page).to.include(`${page}/redact`);
    expect((await server.post(`${result}/redact`, { as, form: { reason: '' } })).status).to.equal(400);
    const redacted = await server.post(`${result}/redact`, { as, form: { reason } });
    expect([redacted.status, redacted.headers.location]).to.deep.equal([303, result]);
    const after = await server.get(result, { as });
    expect(after.text).not.to.include('hunter2');
    expect(actionsOf(after)).not.to.include(`${result}/redact`);
    expect((await server.post(`${run}/redact`, { as, form: { reason } })).headers.location).to.equal(run);
    expect((await server.get(run, { as })).text).not.to.include('of signs in');
    expect((await server.get(`${run}/history`, { as })).text).to.include(reason);
  });

  it('ask the person again who they are, but for a look at the places of a text', async () => {
    const forms = pages.filter(({ method, path }) => method === 'POST' && path.includes('redact'));
    const asks = (value: string) =>
      forms.map(({ asksAgain }) => asksAgain?.({ form: new URLSearchParams({ do: value }) } as any));
    expect(asks('redact')).to.deep.equal([true, true, true]);
    expect(asks('try')).to.have.members([false, true, true]);
  });

  it('offer no form to those who may not redact, and take none', async () => {
    const { run, result } = await givenFailure('signs out', 'none');
    for (const page of [run, result]) {
      const actions = actionsOf(await server.get(page, { as: 'member' }));
      expect(actions).not.to.include(`${page}/redact`);
      expect((await server.post(`${page}/redact`, { as: 'member', form: { reason } })).status).to.equal(403);
    }
  });

  it('of a text show its places first, then how many are done, and never the text itself', async () => {
    const { result } = await givenFailure(`signs in with ${SECRET}`, `no entry\n${SECRET}`);
    // As a browser sends it.
    const form = { text: `no entry\r\n${SECRET}`, reason, project: '' };
    const tried = await server.post(path, { as, form: { ...form, do: 'try' } });
    expect(tried.status).to.equal(200);
    expect(tried.text).to.include('1 place').and.include(`href="${result}"`).and.include('metadata');
    expect((await server.get(result, { as })).text).to.include('no entry');

    const posted = await server.post(path, { as, form: { ...form, text: SECRET, do: 'redact' } });
    expect(posted.headers.location).to.match(/\/redactions\?redaction=redaction_\w+$/);
    const state = posted.headers.location!;
    await eventually('the end of it', async () => /Redacted</.test((await server.get(state, { as })).text));
    const { text } = await server.get(state, { as });
    expect(text)
      .to.match(/redacted in [1-9]\d* places/)
      .and.not.include('hunter2');
    const after = await server.get(result, { as });
    expect(after.text).not.to.include('hunter2');
    for (const line of server.lines) expect(line).not.to.include('hunter2');

    const toTest = /href="([^"]+\/tests\/[^"]+)"/.exec(after.text)![1]!;
    expect((await server.get(toTest, { as })).text).to.include('signs in with [redacted]');
  });

  it('of a text say what is wrong with the form, and keep what was typed', async () => {
    const refused = await server.post(path, { as, form: { text: 'short', reason: 'x', do: 'redact' } });
    expect(refused.status).to.equal(400);
    expect(refused.text).to.include('class="field-error"').and.include('>short</textarea>');
    const told = { text: SECRET, reason: `it was ${SECRET}`, do: 'redact' };
    expect((await server.post(path, { as, form: told })).text).to.include('must not repeat the text');
  });
});

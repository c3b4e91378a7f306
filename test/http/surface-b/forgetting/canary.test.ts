import { expect } from 'chai';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { openBackupSources } from '../../../../src/adapters/open-copies.js';
import { OPERATOR_TEAM } from '../../../../src/commands/teams.js';
import { pages } from '../../../../src/dashboard/pages.js';
import { testIdOf } from '../../../../src/domain/test-history/test.js';
import type { Answer, Api } from '../../../kit/client.js';
import { filesIn } from '../../../kit/files-in.js';
import { until } from '../../../kit/process.js';
import { serverWith } from '../../../kit/server.js';
import { receiving } from '../../../process/webhooks/receiver.js';
import { agentAt, type Agent } from '../../../programs/mcp-client.js';
import { callsOf, writers } from '../../../programs/tool-calls.js';
import {
  bodyOf,
  currentPage,
  givenProject,
  givenResult,
  givenSubmission,
  givenWebhook,
} from '../../given.js';
import { nameless, naming, type Ids } from '../../named-resources.js';
import { givenEndpoint } from '../chat-endpoint.js';

const team = OPERATOR_TEAM;
const formats = ['standard', 'slack', 'teams'] as const;

describe('a text that has leaked into every place that takes one', () => {
  const endpoint = givenEndpoint();
  const secret = randomUUID();
  const text = `canary-${secret}`;
  const lines: string[] = [];
  const logger = pino({ level: 'debug' }, { write: (line: string) => void lines.push(line) });
  let firstStart = '';
  const { server, open, close } = serverWith({ ...receiving, PUBLIC_URL: 'https://ledger.example' }, logger, {
    firstStart: (url) => (firstStart = url),
  });
  let agent: Agent;
  let owner: Api;
  let cookie: string;
  before(async () => {
    await open();
    owner = server.operator;
    agent = await agentAt(server.url, owner.key!);
    cookie = await signedIn();
  });
  after(async () => {
    await agent.close();
    await close();
  });

  async function signedIn(): Promise<string> {
    const account = { name: 'Olga', email: 'olga@example.org', password: 'the password of Olga' };
    const answer = await fetch(server.url + new URL(firstStart).pathname, {
      method: 'POST',
      redirect: 'manual',
      headers: { 'sec-fetch-site': 'same-origin' },
      body: new URLSearchParams(account),
    });
    expect(answer.status).to.equal(303);
    return answer.headers.getSetCookie()[0]!.split(';')[0]!;
  }

  it('is shown by no answer, page, table, tool, message, badge or log once it is redacted, and leaves no byte', async () => {
    const { ids, shared, webhooks, moment } = await planted();
    const asked = [
      ...requestsOf(ids),
      ...['', '/results', '/failures', '/comparison'].map(
        (part) => `/v1/test-runs/${ids.run}${part}?as_of=${moment}`,
      ),
      `/v1/test-results/${ids.result}?as_of=${moment}`,
    ];
    const shown = async () => {
      const answers = new Map<string, string>();
      for (const path of asked) answers.set(path, whole(await owner.get(path)));
      for (const [name, given] of callsOf(ids).filter(([name]) => !writers.includes(name)))
        answers.set(`tool ${name}`, JSON.stringify(await agent.call(name, given)));
      for (const path of pagesOf(ids)) answers.set(path, await read(path));
      for (const url of shared) answers.set(url, await read(url));
      for (const format of formats) {
        const body = { url: endpoint.url('preview'), events: ['*'], format };
        answers.set(`preview ${format}`, (await owner.post('/v1/webhooks/preview', body)).text);
      }
      for (const [format, webhook] of webhooks)
        answers.set(`resent ${format}`, await resent(format, webhook));
      return answers;
    };
    const saying = (answers: Map<string, string>) =>
      [...answers].filter(([, body]) => body.includes(secret)).map(([place]) => place);
    const before = saying(await shown());
    // All of them could show it, but for those that list something else.
    expect(before.length, before.join('\n')).to.be.at.least(100);
    const begun = await owner.post('/v1/redactions', { text, reason: 'a key was in the log' });
    expect(begun.status, begun.text).to.equal(202);
    expect(saying(await shown()), 'from the answer on').to.deep.equal([]);
    const done = async () =>
      (await bodyOf(owner, `/v1/redactions/${begun.body.data.id}`)).data.state === 'done';
    await until('it is done', done, 60_000);
    expect(saying(await shown()), 'when it is done').to.deep.equal([]);
    expect(lines.filter((line) => line.includes(secret))).to.deep.equal([]);
    const { dataDir, events } = server.config;
    await until('its bytes are gone', async () => (await filesIn(dataDir, secret)).length === 0, 60_000);
    // Servers are backed up by their own tools.
    if (!events.startsWith('file:')) return;
    const copy = await mkdtemp(join(tmpdir(), 'testledger-copy-'));
    const sources = openBackupSources(server.config);
    await sources.copyState(copy);
    await sources.copyLog(copy);
    expect(await filesIn(copy, secret), 'in a new backup').to.deep.equal([]);
    await rm(copy, { recursive: true });
  });

  async function planted() {
    const webhooks = new Map<string, string>();
    for (const format of formats) {
      const fields = { url: endpoint.url(format), events: ['*'], format };
      webhooks.set(format, (await givenWebhook(owner, fields)).id);
    }
    const project = await givenProject(owner, {
      name: `Shop ${text}`,
      description: text,
    });
    const named = { default_branch: text, repo_url: `https://forge.example/${text}` };
    await accepted(owner.patch(`/v1/projects/${project}`, named));
    const metadata = {
      branch: text,
      commit: text,
      actor: text,
      ci_url: `https://ci.example/${text}`,
      environment: { os: text },
      note: { [text]: [text] },
    };
    const run = (
      await owner.post('/v1/test/run/', { project_id: project, run_key: text, label: text, metadata })
    ).body.test_run_id;
    const details = {
      owner: text,
      file: `${text}.ts`,
      suite: [text],
      tags: [text],
      output: text,
      browser: text,
      error: { type: text, message: text, stack: `at pay (${text}.ts:1:2)`, expected: text, actual: text },
    };
    const failed = { status: 'Failed', test_name: text, test_run_id: run, metadata: details };
    const result = (await givenResult(owner, project, failed)).test_result_id;
    const file = {
      label: text,
      kind: 'Log',
      content_type: 'text/plain',
      test_step: text,
      metadata: { text },
    };
    const content = Buffer.from(`log of ${text}`);
    const artifacts = [
      { ...file, test_result_id: result, size_bytes: content.length, content: content.toString('base64') },
    ];
    const uploaded = (await accepted(owner.post('/v1/test/artifact/batch', { artifacts }))).body.items[0];
    const artifact = (uploaded.artifact ?? uploaded).artifact_id as string;
    const item = { name: `${text} too`, status: 'failed', error_message: text, metadata: details };
    for (const shard of [1, 2]) {
      const fields = {
        run_key: `${text} of shards`,
        shard: { index: shard, total: 2 },
        submission_key: text,
      };
      const call = { project_id: project, results: [item], ...fields, label: text, metadata };
      await accepted(owner.post('/v1/test-runs', call));
    }
    const whole = await givenSubmission(owner, project, [item, {}], { label: text, metadata });
    const test = testIdOf(project, text);
    const { group } = (await bodyOf(owner, `/v1/test-results/${result}`)).data;
    const cause = `/v1/projects/${project}/failures/${group.id}`;
    await accepted(owner.patch(cause, { owner: text, note: text, ticket: `https://issues.example/${text}` }));
    const known = { reason: text, expires_at: new Date(Date.now() + 86_400_000).toISOString(), branch: text };
    for (const of of [`/v1/projects/${project}/tests/${test}`, cause])
      await accepted(
        owner.send({ method: 'PUT', path: `${of}/known-failure`, content: JSON.stringify(known) }),
      );
    const key = (await accepted(owner.post('/v1/keys', { name: text, role: 'viewer' }))).body.data;
    const link = (await accepted(owner.post(`/v1/test-runs/${whole.run}/links`, {}))).body.data;
    const badge = (await accepted(owner.post(`/v1/projects/${project}/badges`, { branch: text }))).body.data;
    const filter = { branches: [text], owners: [text] };
    const narrow = (await givenWebhook(owner, { url: endpoint.url('narrow'), filter })).id;
    await accepted(owner.post(`/v1/test-results/${whole.results[1]}/redact`, { reason: text }));
    const ids: Ids = {
      project,
      run: whole.run,
      result,
      artifact,
      test,
      group: group.id,
      key: key.key_id ?? key.id,
      webhook: narrow,
      link: link.id,
      badge: badge.id,
    };
    const moment = (await owner.get(`/v1/test-runs/${whole.run}`)).headers.get('X-As-Of')!;
    await until('all are told', () => formats.every((format) => endpoint.at(format).length > 3));
    return { ids, shared: [link.url as string, badge.url as string], webhooks, moment };
  }

  /** By every route that reads. That no route is missing, the suite of other teams shows. */
  function requestsOf(ids: Ids): string[] {
    const routes = Object.entries(naming).filter(([route]) => route.startsWith('GET '));
    const others = Object.entries(nameless).filter(([route]) => route.startsWith('GET '));
    const paths = [...routes.flatMap(([, requests]) => requests(ids, ids)), ...others.map(([, one]) => one)];
    const word = encodeURIComponent('canary');
    return [
      ...new Set(paths.map(({ path }) => path)),
      `/v1/search?q=${word}`,
      '/v1/events?limit=1000&contents=true',
    ];
  }

  function pagesOf(ids: Ids): string[] {
    const params: Record<string, string> = { ...ids, team };
    return pages
      .filter(({ method, path }) => method === 'GET' && !path.includes('/oidc/'))
      .map(({ path }) => path.replaceAll(/:(\w+)/g, (_, name: string) => params[name] ?? 'none'));
  }

  async function read(path: string): Promise<string> {
    const url = new URL(path, server.url);
    const answer = await currentPage(server.url + url.pathname + url.search, {
      headers: { cookie, accept: 'text/html' },
    });
    expect(answer.status, path).to.be.oneOf([200, 303, 404, 400]);
    return answer.text;
  }

  /** The body that a message has now. */
  async function resent(path: string, webhook: string): Promise<string> {
    const { data } = await bodyOf(owner, `/v1/webhooks/${webhook}/deliveries?state=delivered`);
    const before = endpoint.at(path).length;
    for (const { id } of data) await accepted(owner.post(`/v1/webhooks/${webhook}/deliveries/${id}/resend`));
    await until('they are sent', () => endpoint.at(path).length >= before + data.length);
    return endpoint
      .at(path)
      .slice(before)
      .map(({ body }) => body)
      .join('\n');
  }
});

async function accepted(answer: Promise<Answer>): Promise<Answer> {
  const { status, text } = await answer;
  expect(status, text).to.be.within(200, 299);
  return answer;
}

function whole({ text, headers }: Answer): string {
  return `${[...headers].join('\n')}\n${text}`;
}

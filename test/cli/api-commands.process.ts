import { expect } from 'chai';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../kit/free-port.js';
import { openLoopback } from '../kit/loopback.js';
import { givenProject, givenResult, givenSubmission, givenTeam } from '../http/given.js';
import { testServer } from '../kit/server.js';
import { testledger, type Ended } from '../kit/command.js';

describe('testledger: the commands of the API', () => {
  const server = testServer();
  const team = givenTeam(server, 'each suite');
  let folder = '';
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'testledger-cli-'));
  });
  after(() => rm(folder, { recursive: true }));

  const env = () => ({ TESTLEDGER_URL: server.url, TESTLEDGER_API_KEY: team.owner.key! });
  const run = (...args: string[]) => testledger(args, env());
  /** The document of a command that succeeds. */
  const done = async (...args: string[]) => {
    const ran = await run(...args, '--json');
    expect(ran.code, ran.stderr).to.equal(0);
    return ran.document();
  };

  it('makes, lists, renames and deactivates projects, named by id or by name', async () => {
    const { project } = await done('projects', 'create', 'Web shop', '--description', 'It sells shoes');
    expect(project).to.include({ name: 'Web shop', description: 'It sells shoes', status: 'active' });
    const renamed = await done('projects', 'rename', 'Web shop', 'The shop');
    expect(renamed.project).to.include({ id: project.id, name: 'The shop' });
    expect((await done('projects', 'deactivate', project.id)).project.status).to.equal('inactive');
    expect((await done('projects', 'activate', project.id)).project.status).to.equal('active');
    const { projects } = await done('projects', 'list');
    expect(projects.map(({ name }: { name: string }) => name)).to.include('The shop');
    const shown = await run('projects', 'list');
    expect(shown.stdout).to.match(new RegExp(`^${project.id}  active  The shop$`, 'm'));
  });

  it('lists every project, beyond one page', async () => {
    const many = await server.newTeam();
    for (let n = 0; n < 105; n += 1) await givenProject(many.owner, { name: `project ${n}` });
    const ran = await testledger(['projects', 'list', '--json'], {
      ...env(),
      TESTLEDGER_API_KEY: many.owner.key!,
    });
    expect(ran.document().projects).to.have.length(105);
  });

  it('makes a key with projects and an end, and says what is wrong with either', async () => {
    const project = await givenProject(team.owner, { name: 'Of the key' });
    const create = (...flags: string[]) => run('keys', 'create', '--role', 'reporter', ...flags);
    const made = await create('--project', project, '--expires', '90d');
    expect(made.code, made.stderr).to.equal(0);
    const { key } = (await server.as(made.stdout.trimEnd()).get('/v1/me')).body.data;
    expect(key).to.deep.include({ role: 'reporter', project_ids: [project] });
    expect(Date.parse(key.expires_at)).to.be.closeTo(Date.now() + 90 * 86_400_000, 600_000);
    for (const wrong of [
      ['--project', 'Shop'],
      ['--expires', 'soon'],
      ['--expires', '0d'],
    ])
      expect((await create(...wrong)).code, wrong.join(' ')).to.equal(2);
    expect((await create('--expires', '366d')).code).to.equal(4);
  });

  it('makes a key that works, lists it and revokes it; the key alone is on stdout', async () => {
    const made = await run('keys', 'create', '--role', 'member', '--name', 'of the pipeline');
    expect(made.code, made.stderr).to.equal(0);
    const key = made.stdout.trimEnd();
    expect((await server.as(key).get('/v1/me')).body.data.key).to.include({ role: 'member' });
    const { keys } = await done('keys', 'list');
    const { id } = keys.find(({ name }: { name: string }) => name === 'of the pipeline');
    expect(await done('keys', 'revoke', id)).to.deep.equal({ revoked: id });
    expect((await server.as(key).get('/v1/me')).status).to.equal(401);
  });

  it('makes, shows and deletes webhooks, rotates their secret, recovers and sends again', async () => {
    const project = await givenProject(team.owner, { name: 'Hooked' });
    const flags = ['--events', 'test.failed', '--project', 'Hooked'];
    const { webhook } = await done('webhooks', 'create', 'https://hooks.example/x', ...flags);
    expect(webhook).to.deep.include({
      url: 'https://hooks.example/x',
      enabled: true,
      project_ids: [project],
    });
    expect(webhook.secret).to.match(/^whsec_/);
    const shown = await done('webhooks', 'show', webhook.id);
    expect(shown.webhook.events).to.deep.equal(['test.failed']);
    expect((await run('webhooks', 'rotate', webhook.id)).stdout).to.match(/^whsec_.+\n$/);
    expect((await done('webhooks', 'list')).webhooks).to.have.length(1);
    expect(await done('webhooks', 'deliveries', webhook.id)).to.deep.equal({ deliveries: [] });
    const since = '2026-01-01T00:00:00Z';
    expect(await done('webhooks', 'recover', webhook.id, '--since', since)).to.deep.equal({ count: 0 });
    expect((await done('webhooks', 'ping', webhook.id)).event_id).to.match(/^event_/);
    expect((await done('webhooks', 'disable', webhook.id)).webhook.disabled_reason).to.equal('requested');
    expect((await run('webhooks', 'recover', webhook.id, '--since', since)).code).to.equal(4);
    expect((await done('webhooks', 'enable', webhook.id)).webhook.enabled).to.equal(true);
    const none = await run('webhooks', 'resend', webhook.id, 'delivery_01h455vb4pex5vsknk084sn02q', '--json');
    expect(none.code).to.equal(4);
    expect(none.document().error.answer).to.include({ status: 404, code: 'not_found' });
    expect(await done('webhooks', 'delete', webhook.id)).to.deep.equal({ deleted: webhook.id });
    expect((await run('webhooks', 'show', webhook.id)).code).to.equal(4);
  });

  it('makes a webhook with a filter, a `per` and a format, and previews one without making it', async () => {
    const project = await givenProject(team.owner, { name: 'Previewed' });
    const filters = ['--branches', 'main', 'release/*', '--owners', 'search', '--only-new', '--known'];
    const form = ['--per', 'run', '--format', 'standard'];
    const { webhook } = await done('webhooks', 'create', 'https://hooks.example/y', ...filters, ...form);
    expect(webhook).to.deep.include({
      per: 'run',
      format: 'standard',
      filter: {
        branches: ['main', 'release/*'],
        environments: null,
        owners: ['search'],
        known: true,
        only_new: true,
      },
    });
    const changed = async (...flags: string[]) =>
      (await done('webhooks', 'change', webhook.id, ...flags)).webhook;
    const moved = await changed('--target', 'https://hooks.example/z', '--per', 'group');
    expect(moved).to.deep.include({ url: 'https://hooks.example/z', per: 'group', filter: webhook.filter });
    const narrowed = await changed('--owners', 'till', '--no-only-new', '--project', 'Previewed');
    const filter = { ...webhook.filter, owners: ['till'], only_new: false };
    expect(narrowed).to.deep.include({ url: moved.url, per: 'group', project_ids: [project], filter });
    expect(await changed('--unfiltered', '--events', 'main.red')).to.deep.include({
      events: ['main.red'],
      project_ids: null,
      filter: null,
    });
    expectError(await run('webhooks', 'change', webhook.id, '--json'), 2, 'usage');
    await done('webhooks', 'delete', webhook.id);
    await givenSubmission(team.owner, project, [{ name: 'pays', status: 'failed' }]);
    const flags = ['--events', 'test.failed', '--project', 'Previewed', '--per', 'run'];
    const { preview } = await done('webhooks', 'preview', 'https://hooks.example/x', ...flags);
    expect(preview).to.deep.include({ messages: 1, complete: true });
    expect(preview.examples[0].type).to.equal('run.completed');
    expect((await done('webhooks', 'list')).webhooks).to.deep.equal([]);
    const chat = await run('webhooks', 'preview', 'https://hooks.slack.com/services/x');
    expect(chat.code).to.not.equal(0);
    expect(chat.stderr).to.include('must be slack');
  });

  it('shows how much room projects take, and what a retention would free', async () => {
    const project = await givenProject(team.owner, { name: 'Room' });
    await givenResult(team.owner, project, { metadata: { worker: 'number 1' } });
    const { usage } = await done('usage');
    const own = usage.find((each: any) => each.project_id === project);
    expect(own.contents.bytes).to.be.above(0);
    expect((await run('usage')).stdout).to.match(/Room .*1 verdict \d/);
    const flags = ['--project', project, '--artifacts', 'P30D', '--runs', 'P30D', '--dry-run'];
    expect(await done('retention', ...flags)).to.include({ artifacts: 0, unlisted_runs: 0, is_whole: true });
    expect((await run('retention', ...flags)).stdout)
      .to.include('it would free 0 B')
      .and.include('0 runs');
  });

  it('deletes all projects of the team for good that its key and its name mean, and of no other', async () => {
    const [{ owner }, other] = [await server.newTeam(), team.owner];
    const kept = await givenProject(other, { name: 'Kept' });
    await givenProject(owner, { name: 'Gone' });
    const { id, name } = (await owner.get('/v1/team')).body.data;
    const purge = (team: string, confirm: string) =>
      testledger(['purge', 'team', team, '--confirm', confirm, '--json'], {
        ...env(),
        TESTLEDGER_API_KEY: owner.key!,
      });
    const projects = async () => (await owner.get('/v1/projects')).body.pagination.total;
    const another = (await other.get('/v1/team')).body.data;
    const refused = await purge(another.id, another.name);
    expectError(refused, 2, 'usage');
    expect(refused.stderr).to.include(id);
    expectError(await purge(id, 'another name'), 4, 'request_refused');
    expect(await projects()).to.equal(1);
    const done = await purge(id, name);
    expect(done.code, done.stderr).to.equal(0);
    expect(done.document()).to.deep.equal({ id });
    expect(await projects()).to.equal(0);
    expect((await other.get(`/v1/projects/${kept}`)).status).to.equal(200);
  });

  it('shows where a leaked text is, and takes it out of everything', async () => {
    const project = await givenProject(team.owner, { name: 'Leaky' });
    const text = 'hunter2-hunter2';
    const { test_result_id: result } = await givenResult(team.owner, project, {
      test_name: 'pays',
      metadata: { note: `with ${text}` },
    });
    const flags = ['redact', '--text', text, '--reason', 'it leaked', '--project', 'Leaky'];
    const looked = await done(...flags, '--dry-run');
    expect(looked.places.map(({ id }: any) => id)).to.deep.equal([result]);
    const shown = async () => (await team.owner.get(`/v1/test-results/${result}`)).text;
    expect(await shown()).to.include(text);
    const { redaction } = await done(...flags);
    expect(redaction).to.include({ state: 'done', places: 1 });
    expect(await shown()).not.to.include(text);
    expectError(await run('redact', '--text', 'short', '--reason', 'x', '--json'), 4, 'request_refused');
  });

  it('starts a run by the name of its project, joins it by its key, and completes it with its counts', async () => {
    const project = await givenProject(team.owner, { name: 'Runs of the command line' });
    const named = { ...env(), TESTLEDGER_PROJECT: 'Runs of the command line' };
    const start = () =>
      testledger(
        ['run', 'start', '--run-key', 'build 7', '--label', 'nightly', '--metadata', 'branch=main'],
        named,
      );
    const first = await start();
    expect(first.code, first.stderr).to.equal(0);
    const id = first.stdout.trimEnd();
    expect((await start()).stdout).to.equal(first.stdout);
    const { body } = await team.owner.get(`/v1/test/run/${id}`);
    expect(body).to.include({ status: 'Running', label: 'nightly' });
    expect(body.metadata).to.include({ branch: 'main' }).and.have.any.keys('environment');
    await givenResult(team.owner, project, { test_run_id: id });
    const finished = await run('run', 'finish', id);
    expect(finished.stdout).to.match(new RegExp(`^completed ${id}: .*1 `));
    expect((await team.owner.get(`/v1/test/run/${id}`)).body.status).to.equal('Completed');
  });

  it('uploads a file, with its type by its extension', async () => {
    const project = await givenProject(team.owner);
    const { test_result_id } = await givenResult(team.owner, project);
    const file = join(folder, 'screen.png');
    await writeFile(file, 'not really a picture');
    const { artifact } = await done('upload', file, '--result', test_result_id);
    expect(artifact).to.include({
      label: 'screen.png',
      kind: 'Image',
      content_type: 'image/png',
      size_bytes: 20,
    });
    const { body } = await team.owner.get(`/v1/test/artifact/${artifact.artifact_id}/download`);
    expect(await (await fetch(body.download_url)).text()).to.equal('not really a picture');
    const missing = await run('upload', join(folder, 'none'), '--result', test_result_id, '--json');
    expect(missing.code).to.equal(2);
    expect(missing.document().error.code).to.equal('file_unreadable');
  });

  it('ends with 2 and a code for a call that lacks a key, a project or an address', async () => {
    expectError(await testledger(['projects', 'list', '--json']), 2, 'key_missing');
    expectError(await run('run', 'start', '--json'), 2, 'project_missing');
    expectError(await run('projects', 'list', '--json', '--url', 'ftp://x'), 2, 'usage');
    expectError(await run('projects', 'nonsense', '--json'), 2, 'usage');
    expectError(await run('run', 'start', '--project', 'x', '--metadata', 'y', '--json'), 2, 'usage');
    await givenProject(team.owner, { name: 'Twin' });
    await givenProject(team.owner, { name: 'Twin' });
    expectError(await run('run', 'start', '--project', 'Twin', '--json'), 2, 'project_ambiguous');
  });

  it('ends with 4 for what the server refuses, and says the code of its answer', async () => {
    const refused = await run('projects', 'list', '--api-key', 'tl_wrong', '--json');
    expectError(refused, 4, 'request_refused');
    expect(refused.document().error.answer).to.include({ status: 401, code: 'unauthorized' });
    expect(refused.document().error.answer.request_id).to.be.a('string');
    expectError(await run('run', 'start', '--project', 'no such', '--json'), 4, 'project_unknown');
  });

  it('ends with 4 where a page answers in place of testledger, and doubts the address', async () => {
    const proxy = await openLoopback((_, response) =>
      response.writeHead(302, { Location: 'https://login.example/' }).end(),
    );
    const ran = await run('projects', 'list', '--url', proxy.url, '--json');
    expectError(ran, 4, 'not_testledger');
    expect(ran.stderr).to.include('Check TESTLEDGER_URL');
    await proxy.close();
  });

  it('ends with 3 for a server that is away or fails', async () => {
    const port = await freePort();
    const away = await run('projects', 'list', '--url', `http://127.0.0.1:${port}`, '--json');
    expectError(away, 3, 'server_unreachable');
    expect(away.stderr).to.include(`http://127.0.0.1:${port}`);
    expect(away.stderr.match(/ECONNREFUSED/gu), 'says once why').to.have.lengthOf(1);
    const broken = await openLoopback((_, response) => response.writeHead(500).end('oops'));
    expectError(await run('projects', 'list', '--url', broken.url, '--json'), 3, 'server_failed');
    await broken.close();
  });
});

function expectError(ran: Ended, code: number, error: string): void {
  expect(ran.code, ran.stderr).to.equal(code);
  const document = ran.document();
  expect(document.error).to.include({ code: error, exit_code: code });
  expect(document.error.message).to.be.a('string').and.not.equal('');
  expect(document.error.advice).to.be.a('string').and.not.equal('');
}

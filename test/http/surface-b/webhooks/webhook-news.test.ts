import { expect } from 'chai';
import { openEndpoint, type Endpoint } from '../../../webhooks/delivery/endpoint.js';
import { ownServer } from '../../../kit/server.js';
import { until } from '../../../kit/process.js';
import { checkWebhookBody } from '../../conformity.js';
import { allEvents } from '../../events.js';
import { givenProject, givenSubmission, givenTeam, givenWebhook } from '../../given.js';

type Sent = { id: string; type: string; data: any };

/** The event of the log whose id a message has. */
const eventOf: Readonly<Record<string, string>> = {
  'group.new': 'GroupAppeared',
  'group.gone': 'GroupWentAway',
  'group.back': 'GroupReturned',
  'test.broken': 'TestBecameBroken',
  'test.stabilised': 'TestStabilised',
  'known_failure.set': 'KnownFailureSet',
  'known_failure.ended': 'KnownFailureEnded',
  'run.incomplete': 'RunFoundIncomplete',
  'main.red': 'MainTurnedRed',
  'main.green': 'MainTurnedGreen',
};

describe('surface B: what webhooks say of causes and of the default branch', function () {
  this.timeout(120_000);
  const server = ownServer({ WEBHOOK_ALLOW: '127.0.0.0/8' });
  const team = givenTeam(server, 'each test');
  let sent: Sent[] = [];
  let endpoint: Endpoint;
  beforeEach(async () => {
    sent = [];
    endpoint = await openEndpoint(({ headers, body }, response) => {
      const message = JSON.parse(body) as Omit<Sent, 'id'>;
      checkWebhookBody(message);
      sent.push({ id: String(headers['webhook-id']), ...message });
      response.writeHead(204).end();
    });
  });
  afterEach(() => endpoint.close());

  const hook = (events: readonly string[] = Object.keys(eventOf)) =>
    givenWebhook(team.owner, { url: `http://127.0.0.1:${endpoint.port}/`, events });
  const metadata = { branch: 'main', tool: 'playwright', environment: { os: 'linux' } };
  const item = (status: string, name = 'pays') => ({
    name,
    status,
    error_message: status === 'failed' ? 'the card is refused' : null,
    metadata: { owner: 'checkout' },
  });
  const run = (project: string, statuses: readonly string[], more: object = {}) =>
    givenSubmission(
      team.owner,
      project,
      statuses.map((status, n) => item(status, `test ${n}`)),
      { metadata, ...more },
    );
  const types = () => sent.map(({ type }) => type).sort();

  /** Each message is an event of the replay, with its id and subject. */
  async function expectInReplay(): Promise<void> {
    const events = await allEvents(team.owner);
    for (const { id, type } of sent)
      expect(events.find((event) => event.id === id)?.type, type).to.equal(eventOf[type]);
    expect(new Set(sent.map(({ id }) => id)).size).to.equal(sent.length);
  }

  it('is when causes come, go and come back, and when the branch turns red and green', async () => {
    await hook();
    const project = await givenProject(team.owner);
    await run(project, ['passed', 'passed']);
    const red = await run(project, ['failed', 'passed']);
    await until('the first failure', () => sent.length === 2);
    expect(types()).to.deep.equal(['group.new', 'main.red']);
    const [isNew, isRed] = ['group.new', 'main.red'].map((type) => sent.find((one) => one.type === type)!);
    expect(isNew!.data).to.include({ title: 'the card is refused', owner: 'checkout', known: false });
    expect(isNew!.data.run.test_run_id).to.equal(red.run);
    expect(isRed!.data).to.deep.include({ branch: 'main', tool: 'playwright', environment: { os: 'linux' } });
    // The test that failed did not run: nobody knows whether the cause is gone.
    await run(project, ['skipped', 'passed']);
    // It is still red, and the same cause says nothing new.
    await run(project, ['failed', 'passed'], { metadata: { ...metadata, branch: 'feature' } });
    await run(project, ['passed', 'passed']);
    await until('the cause to go', () => types().includes('group.gone'));
    await run(project, ['passed', 'failed']);
    await until('all messages', () => sent.length === 6);
    expect(types().slice(0, 3)).to.deep.equal(['group.back', 'group.gone', 'group.new']);
    const gone = sent.find(({ type }) => type === 'group.gone')!;
    const back = sent.find(({ type }) => type === 'group.back')!;
    expect(gone.data).to.include({ group: isNew!.data.group, tests: 1, owner: 'checkout' });
    expect(back.data).to.include({ group: isNew!.data.group, tests: 1, results: 1 });
    const green = sent.find(({ type }) => type === 'main.green')!;
    expect(green.data.red_since.run_id).to.equal(red.run);
    await expectInReplay();
  });

  it('is when shards are missing, and when failures are known and known no more', async () => {
    await hook();
    const project = await givenProject(team.owner);
    const shard = { run_key: 'build 7', shard: { index: 2, total: 3 } };
    const part = await run(project, ['failed'], shard);
    const { status, text } = await team.owner.post(`/v1/test/run/${part.run}`, { status: 'Completed' });
    expect(status, text).to.equal(204);
    await until('the missing shards', () => types().includes('run.incomplete'));
    const incomplete = sent.find(({ type }) => type === 'run.incomplete')!;
    expect(incomplete.data.shards).to.deep.equal({ total: 3, missing: [1, 3] });
    const tests = await team.owner.get(`/v1/projects/${project}/tests`);
    const path = `/v1/projects/${project}/tests/${tests.body.data[0].id}/known-failure`;
    const expires_at = new Date(Date.now() + 86_400_000).toISOString();
    const content = JSON.stringify({ reason: 'SHOP-7', expires_at });
    await team.owner.send({ method: 'PUT', path, content });
    await team.owner.delete(path);
    await until('all messages', () => sent.length === 5);
    expect(types()).to.deep.equal([
      'group.new',
      'known_failure.ended',
      'known_failure.set',
      'main.red',
      'run.incomplete',
    ]);
    const ended = sent.find(({ type }) => type === 'known_failure.ended')!;
    expect(ended.data).to.include({ ended: 'requested' });
    expect(ended.data.known_failure).to.include({ reason: 'SHOP-7', expires_at, branch: null });
    await expectInReplay();
  });

  it('is when a test is broken and stable again, in that order', async () => {
    await hook(['test.broken', 'test.stabilised']);
    const project = await givenProject(team.owner);
    for (let n = 0; n < 20; n += 1) await run(project, ['failed']);
    await run(project, ['passed']);
    await until('both messages', () => sent.length === 2);
    expect(sent.map(({ type }) => type)).to.deep.equal(['test.broken', 'test.stabilised']);
    expect(sent[0]!.data).to.deep.include({ environment: { os: 'linux' } });
    expect(sent[0]!.data.test.name).to.equal('test 0');
    await expectInReplay();
  });

  it('is sent again by recover under the same ids', async () => {
    const { id } = await hook(['group.new', 'main.red']);
    const project = await givenProject(team.owner);
    await team.owner.patch(`/v1/webhooks/${id}`, { enabled: false });
    await run(project, ['failed']);
    await team.owner.patch(`/v1/webhooks/${id}`, { enabled: true });
    const since = new Date(Date.now() - 3_600_000).toISOString();
    const { body } = await team.owner.post(`/v1/webhooks/${id}/recover`, { since });
    expect(body.data.count).to.equal(2);
    await until('both messages', () => sent.length === 2);
    expect(types()).to.deep.equal(['group.new', 'main.red']);
    await expectInReplay();
  });
});

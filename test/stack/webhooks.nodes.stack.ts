/** Webhooks by many processes, each with one role, on real servers: whoever works, and whoever dies. */
import { expect } from 'chai';
import { until, type RunningServer } from '../process/server.js';
import { startNats, type NatsServer } from './nats.js';
import { allDelivered, webhookNodes, type Receiver } from './webhook-nodes.js';
import {
  expectInReplay,
  expectReceived,
  idsOf,
  messagesIn,
  post,
  submit,
  postStory,
  toldAll,
  type Story,
} from './webhook-story.js';

/** A lease of 10 s, and a look each second. */
const TAKEN_OVER_MS = 15_000;
const statuses = ['Failed', 'Passed', 'Failed', 'Failed', 'Passed', 'Failed'];
const tests = Array.from({ length: 20 }, (_, n) => `test ${n}`);

describe('two publishers and two dispatchers on the same servers', function () {
  this.timeout(180_000);
  let nats: NatsServer;
  before(async () => (nats = await startNats()));
  after(() => nats.stop());
  const nodes = webhookNodes(() => nats.url);

  let story: Story;
  let api: RunningServer;
  let project: string;
  beforeEach(async () => ({ story, api, project } = await nodes.begin()));
  const allTold = ({ endpoint }: Receiver, withinMs?: number) => toldAll(endpoint, story, withinMs);

  it('tell each endpoint every failure and recovery once, under the id of its event, in order for each test', async () => {
    const started = ['publisher', 'publisher', 'dispatcher', 'dispatcher'] as const;
    const receivers = [];
    for (let n = 0; n < 6; n += 1) receivers.push(await nodes.receiver(api.owner));
    await Promise.all(started.map((role) => nodes.start(role)));
    const began = performance.now();
    await postStory(story, api.owner, { project, tests, statuses });
    for (const status of ['passed', 'failed', 'passed'] as const) {
      await submit(story, api.owner, { project, tests, status });
    }
    await postStory(story, api.owner, { project, tests, statuses: ['Failed'] });
    const posted = performance.now() - began;
    await Promise.all(receivers.map((receiver) => allTold(receiver)));
    shows(`posted, and told to each of ${receivers.length}, in`, [posted, performance.now() - began]);
    for (const { endpoint, id, secret } of receivers) {
      await allDelivered(api.owner, id, messagesIn(story));
      expectReceived(endpoint, story, { secret });
      await expectInReplay(endpoint, api.owner);
    }
  });

  it('go on within the lease of a publisher that is killed, with nothing lost and nothing told twice', async () => {
    const receiver = await nodes.receiver(api.owner);
    await nodes.start('dispatcher');
    let leading = await nodes.start('publisher');
    await post(story, api.owner, { project, test: 'first', status: 'Failed' });
    await allTold(receiver);
    const took: number[] = [];
    for (let round = 0; round < 2; round += 1) {
      const next = await nodes.start('publisher');
      const posting = postStory(story, api.owner, { project, tests, statuses });
      const enough = idsOf(receiver.endpoint).size + 20;
      await until('it to be at work', () => idsOf(receiver.endpoint).size >= enough);
      await leading.kill();
      const killed = performance.now();
      await posting;
      await post(story, api.owner, { project, test: `after ${round}`, status: 'Failed' });
      await allTold(receiver, TAKEN_OVER_MS);
      took.push(performance.now() - killed);
      leading = next;
    }
    shows('the next publisher told all after', took);
    await allDelivered(api.owner, receiver.id, messagesIn(story));
    expectReceived(receiver.endpoint, story, receiver);
  });

  it('go on within the leases of a dispatcher that is killed while it sends, with nothing lost and each test in order', async () => {
    let hangs = false;
    const receiver = await nodes.receiver(api.owner, (_, response) => {
      if (!hangs) response.writeHead(204).end();
    });
    const { endpoint } = receiver;
    await nodes.start('publisher');
    let sending = await nodes.start('dispatcher');
    await post(story, api.owner, { project, test: 'first', status: 'Failed' });
    await allTold(receiver);
    const took: number[] = [];
    for (let round = 0; round < 2; round += 1) {
      const next = await nodes.start('dispatcher');
      await postStory(story, api.owner, { project, tests, statuses: statuses.slice(0, 2) });
      hangs = true;
      const before = endpoint.taken.length;
      const posting = postStory(story, api.owner, { project, tests, statuses });
      await until('it to be under way', () => endpoint.taken.length > before);
      await sending.kill();
      const killed = performance.now();
      hangs = false;
      const known = endpoint.taken.length;
      await until('the next to send', () => endpoint.taken.length > known, TAKEN_OVER_MS);
      took.push(performance.now() - killed);
      await posting;
      await allTold(receiver, TAKEN_OVER_MS);
      sending = next;
    }
    shows('the next dispatcher sent after', took);
    await allDelivered(api.owner, receiver.id, messagesIn(story));
    expectReceived(endpoint, story, { ...receiver, again: true });
    expect(endpoint.taken.length - idsOf(endpoint).size, 'those of unknown outcome').to.be.at.most(2 * 8 * 2);
  });

  it('stand still for longer than their leases and go on: others have taken over, nothing is lost, each test in order', async () => {
    const receiver = await nodes.receiver(api.owner);
    const { endpoint } = receiver;
    const first = [await nodes.start('publisher'), await nodes.start('dispatcher')];
    await post(story, api.owner, { project, test: 'first', status: 'Failed' });
    await allTold(receiver);
    await Promise.all([nodes.start('publisher'), nodes.start('dispatcher')]);
    const posting = postStory(story, api.owner, { project, tests, statuses });
    await until('them to be at work', () => endpoint.taken.length > 20);
    for (const each of first) each.signal('SIGSTOP');
    const known = endpoint.taken.length;
    await posting;
    await allTold(receiver, TAKEN_OVER_MS);
    expect(messagesIn(story), 'some were left to the others').to.be.above(known);
    const more = postStory(story, api.owner, { project, tests, statuses });
    for (const each of first) each.signal('SIGCONT');
    await more;
    await allTold(receiver, TAKEN_OVER_MS);
    await allDelivered(api.owner, receiver.id, messagesIn(story));
    expectReceived(endpoint, story, { ...receiver, again: true });
    await expectInReplay(endpoint, api.owner);
    for (const each of first) expect((await each.stop()).code).to.equal(0);
  });

  it('hand over at once where they are stopped', async () => {
    const receiver = await nodes.receiver(api.owner);
    const first = [await nodes.start('publisher'), await nodes.start('dispatcher')];
    await post(story, api.owner, { project, test: 'first', status: 'Failed' });
    await allTold(receiver);
    await Promise.all([nodes.start('publisher'), nodes.start('dispatcher')]);
    for (const each of first) expect((await each.stop()).code).to.equal(0);
    const stopped = performance.now();
    await post(story, api.owner, { project, test: 'second', status: 'Failed' });
    await allTold(receiver, 5_000);
    shows('after a stop the others told it within', [performance.now() - stopped]);
    expectReceived(receiver.endpoint, story, receiver);
  });
});

function shows(what: string, took: readonly number[]): void {
  console.log(`        ${what} ${took.map((ms) => `${Math.round(ms)} ms`).join(', ')}`);
}

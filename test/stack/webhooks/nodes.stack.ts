/** Webhooks sent by several processes with one role each, on real servers. Some are killed, frozen or stopped. */
import { expect } from 'chai';
import { until, type RunningServer } from '../../kit/process.js';
import { startNats, type NatsServer } from '../nats.js';
import { allDelivered, webhookNodes, type Receiver } from './webhook-nodes.js';
import {
  expectInReplay,
  expectReceived,
  messageIdsAt,
  messagesIn,
  post,
  postStory,
  allReceived,
  type Story,
} from './webhook-story.js';

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
  const hasAll = ({ endpoint }: Receiver) => allReceived(endpoint, story);

  it('go on after a publisher is killed, lose nothing and send nothing twice', async () => {
    const receiver = await nodes.receiver(api.owner);
    await nodes.start('dispatcher');
    const leading = await nodes.start('publisher');
    await post(story, api.owner, { project, test: 'first', status: 'Failed' });
    await hasAll(receiver);
    await nodes.start('publisher');
    const posting = postStory(story, api.owner, { project, tests, statuses });
    const enough = messageIdsAt(receiver.endpoint).size + 20;
    await until('the publisher to be at work', () => messageIdsAt(receiver.endpoint).size >= enough);
    await leading.kill();
    await posting;
    await post(story, api.owner, { project, test: 'after', status: 'Failed' });
    await hasAll(receiver);
    await allDelivered(api.owner, receiver.id, messagesIn(story));
    expectReceived(receiver.endpoint, story, receiver);
  });

  it('go on after a dispatcher is killed while it sends, lose nothing and keep the order of each test', async () => {
    let hangs = false;
    const receiver = await nodes.receiver(api.owner, (_, response) => {
      if (!hangs) response.writeHead(204).end();
    });
    const { endpoint } = receiver;
    await nodes.start('publisher');
    const sending = await nodes.start('dispatcher');
    await post(story, api.owner, { project, test: 'first', status: 'Failed' });
    await hasAll(receiver);
    await nodes.start('dispatcher');
    await postStory(story, api.owner, { project, tests, statuses: statuses.slice(0, 2) });
    hangs = true;
    const before = endpoint.taken.length;
    const posting = postStory(story, api.owner, { project, tests, statuses });
    await until('attempts to be under way', () => endpoint.taken.length > before);
    await sending.kill();
    hangs = false;
    const known = endpoint.taken.length;
    await until('the next to send', () => endpoint.taken.length > known);
    await posting;
    await hasAll(receiver);
    await allDelivered(api.owner, receiver.id, messagesIn(story));
    expectReceived(endpoint, story, { ...receiver, again: true });
    expect(
      endpoint.taken.length - messageIdsAt(endpoint).size,
      'the attempts of unknown outcome',
    ).to.be.at.most(2 * 8);
  });

  it('lose nothing and keep the order of each test if two of them are frozen for longer than their leases', async () => {
    const receiver = await nodes.receiver(api.owner);
    const { endpoint } = receiver;
    const first = [await nodes.start('publisher'), await nodes.start('dispatcher')];
    await post(story, api.owner, { project, test: 'first', status: 'Failed' });
    await hasAll(receiver);
    await Promise.all([nodes.start('publisher'), nodes.start('dispatcher')]);
    const posting = postStory(story, api.owner, { project, tests, statuses });
    await until('all to be at work', () => endpoint.taken.length > 20);
    for (const each of first) each.signal('SIGSTOP');
    const known = endpoint.taken.length;
    await posting;
    await hasAll(receiver);
    expect(messagesIn(story), 'the others sent some').to.be.above(known);
    const more = postStory(story, api.owner, { project, tests, statuses });
    for (const each of first) each.signal('SIGCONT');
    await more;
    await hasAll(receiver);
    await allDelivered(api.owner, receiver.id, messagesIn(story));
    expectReceived(endpoint, story, { ...receiver, again: true });
    await expectInReplay(endpoint, api.owner);
    for (const each of first) expect((await each.stop()).code).to.equal(0);
  });
});

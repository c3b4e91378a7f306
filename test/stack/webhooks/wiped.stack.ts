/** Webhooks sent by several processes while NATS is killed, wiped and unavailable. */
import { expect } from 'chai';
import { until, type LogLine, type RunningServer } from '../../kit/process.js';
import { idsOnNats, startNats, type NatsServer } from '../nats.js';
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

const statuses = ['Failed', 'Passed', 'Failed', 'Failed'];
const tests = Array.from({ length: 20 }, (_, n) => `test ${n}`);

describe('several processes that send webhooks', function () {
  this.timeout(180_000);
  let nats: NatsServer;
  beforeEach(async () => (nats = await startNats()));
  afterEach(() => nats.stop());
  const nodes = webhookNodes(() => nats.url);

  let story: Story;
  let api: RunningServer;
  let project: string;
  beforeEach(async () => ({ story, api, project } = await nodes.begin()));
  const posted = (more: readonly string[] = statuses) =>
    postStory(story, api.owner, { project, tests, statuses: more });
  const failed = (test: string) => post(story, api.owner, { project, test, status: 'Failed' });
  const hasAll = ({ endpoint }: Receiver) => allReceived(endpoint, story);
  /** Posts failures until one of them is on NATS, and waits until the receiver has all. */
  const overNats = async (receiver: Receiver) => {
    const before = (await idsOnNats(nats.url)).length;
    await until('messages to go over NATS', async () => {
      await failed(`n ${messagesIn(story)}`);
      return (await idsOnNats(nats.url)).length > before;
    });
    await hasAll(receiver);
  };
  const wiped = () => nats.kill().then(() => nats.startEmpty());
  const expectAllOnce = async ({ endpoint, id, secret }: Receiver) => {
    await allDelivered(api.owner, id, messagesIn(story));
    expectReceived(endpoint, story, { secret });
    await expectInReplay(endpoint, api.owner);
  };

  it('lose nothing and send nothing twice when NATS is wiped repeatedly while messages are on their way', async () => {
    const receivers = [await nodes.receiver(api.owner), await nodes.receiver(api.owner)];
    const roles = ['publisher', 'publisher', 'dispatcher', 'dispatcher'] as const;
    await Promise.all(roles.map((role) => nodes.start(role)));
    for (let round = 0; round < 4; round += 1) {
      const posting = posted();
      const enough = messageIdsAt(receivers[0]!.endpoint).size + 5;
      await until(
        'the endpoint to have some messages',
        () => messageIdsAt(receivers[0]!.endpoint).size >= enough,
      );
      await (round % 2 === 0 ? wiped() : nats.kill().then(() => nats.start()));
      await posting;
      await Promise.all(receivers.map((receiver) => hasAll(receiver)));
    }
    for (const receiver of receivers) await expectAllOnce(receiver);
  });

  it('start without NATS, send messages, and use it once it starts; go on sending and answering when it is away again, and use it once it is back', async () => {
    await nats.kill();
    const receiver = await nodes.receiver(api.owner);
    const publisher = await nodes.start('publisher');
    const dispatcher = await nodes.start('dispatcher');
    for (const each of [publisher, dispatcher]) {
      expect((await fetch(`${each.url}/readyz`)).status, 'ready').to.equal(200);
    }
    await posted();
    await hasAll(receiver);
    await nats.startEmpty();
    await overNats(receiver);

    await nats.kill();
    for (let n = 0; n < 5; n += 1) {
      await failed(`away ${n}`);
      expect((await api.owner.get('/v1/projects')).status).to.equal(200);
      await hasAll(receiver);
    }
    await nats.start();
    await overNats(receiver);
    await expectAllOnce(receiver);
    expect(publisher.logged().filter(isFault), 'the fault is logged').to.not.deep.equal([]);
  });
});

function isFault(line: LogLine): boolean {
  return Number(line['level']) >= 50;
}

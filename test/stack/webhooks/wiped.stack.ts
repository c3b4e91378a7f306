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
/** No request waits for the bus. */
const ANSWERS_WITHIN_MS = 2_000;

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
  const hasAll = ({ endpoint }: Receiver, withinMs?: number) => allReceived(endpoint, story, withinMs);
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

  it('start without NATS, send messages within some seconds, and use NATS once it starts', async () => {
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
    await until('messages to go over NATS', async () => {
      await failed(`n ${messagesIn(story)}`);
      return (await idsOnNats(nats.url)).length > 0;
    });
    await hasAll(receiver);
    await expectAllOnce(receiver);
    expect(publisher.logged().filter(isFault).length, 'the fault is logged').to.be.greaterThan(0);
  });

  it('answer requests as usual while NATS is unavailable, and send messages within some seconds, then at once again', async () => {
    const receiver = await nodes.receiver(api.owner);
    await Promise.all([nodes.start('publisher'), nodes.start('dispatcher')]);
    await failed('first');
    await hasAll(receiver);
    await nats.kill();
    const took: number[] = [];
    const answers: number[] = [];
    for (let n = 0; n < 5; n += 1) {
      const began = performance.now();
      await failed(`away ${n}`);
      expect((await api.owner.get('/v1/projects')).status).to.equal(200);
      answers.push(performance.now() - began);
      await hasAll(receiver, 10_000);
      took.push(performance.now() - began);
    }
    await nats.start();
    const back = performance.now();
    const again: number[] = [];
    await until('messages to go over NATS again', async () => {
      const began = performance.now();
      await failed(`back ${messagesIn(story)}`);
      await hasAll(receiver, 10_000);
      again.push(performance.now() - began);
      return again.slice(-3).every((ms) => ms < 1_000) && again.length >= 3;
    });
    const rounded = (all: readonly number[]) => all.map((ms) => Math.round(ms)).join(', ');
    console.log(
      `        without NATS: answered after ${rounded(answers)} ms, received after ${rounded(took)} ms; with it: after ` +
        `${rounded(again)} ms, over NATS ${Math.round(performance.now() - back)} ms after its start`,
    );
    expect(Math.max(...answers)).to.be.below(ANSWERS_WITHIN_MS);
    await expectAllOnce(receiver);
  });
});

function isFault(line: LogLine): boolean {
  return Number(line['level']) >= 50;
}

/**
 * Webhooks sent by several processes on shared servers without NATS, so no process gets messages from the bus of
 * another.
 */
import { expect } from 'chai';
import type { RunningServer } from '../../kit/process.js';
import { allDelivered, projectOf, webhookNodes, type Receiver } from './webhook-nodes.js';
import {
  allReceived,
  expectInReplay,
  expectReceived,
  messagesIn,
  post,
  postStory,
  type Story,
} from './webhook-story.js';

const statuses = ['Failed', 'Passed', 'Failed'];
const tests = Array.from({ length: 10 }, (_, n) => `test ${n}`);

describe('several processes that send webhooks, without BUS_URL', function () {
  const nodes = webhookNodes(() => null);
  let story: Story;
  let api: RunningServer;
  let project: string;
  let receiver: Receiver;
  beforeEach(async () => {
    story = new Map();
    api = await nodes.startApi();
    project = await projectOf(api);
    receiver = await nodes.receiver(api.owner);
  });
  const failed = (test: string) => post(story, api.owner, { project, test, status: 'Failed' });
  const hasAll = () => allReceived(receiver.endpoint, story);
  const expectAll = async ({ again = false } = {}) => {
    const { endpoint, id, secret } = receiver;
    await allDelivered(api.owner, id, messagesIn(story));
    expectReceived(endpoint, story, { secret, again });
    await expectInReplay(endpoint, api.owner);
  };

  it('send each message once, in order, and warn at the start that BUS_URL is missing', async () => {
    const alone = await Promise.all([nodes.start('publisher'), nodes.start('dispatcher')]);
    const took: number[] = [];
    for (let n = 0; n < 3; n += 1) {
      const began = performance.now();
      await failed(`single ${n}`);
      await hasAll();
      took.push(performance.now() - began);
    }
    console.log(`        received after ${took.map((ms) => Math.round(ms)).join(', ')} ms`);
    await postStory(story, api.owner, { project, tests, statuses });
    await hasAll();
    await expectAll();
    for (const each of alone) {
      expect(each.logged().find(isWarning)?.msg).to.match(/BUS_URL/);
      expect((await each.stop()).code).to.equal(0);
    }
  });
});

function isWarning(line: { msg: string; [field: string]: unknown }): boolean {
  return line['level'] === 40 && line.msg.includes('BUS_URL');
}

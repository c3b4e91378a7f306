/** Webhooks by several processes on shared servers without NATS: the bus of each ends at its own folder. */
import { expect } from 'chai';
import { until, type RunningServer } from '../process/server.js';
import { allDelivered, projectOf, webhookNodes, type Receiver } from './webhook-nodes.js';
import {
  expectInReplay,
  expectReceived,
  idsOf,
  messagesIn,
  post,
  postStory,
  type Story,
} from './webhook-story.js';

const statuses = ['Failed', 'Passed', 'Failed'];
const tests = Array.from({ length: 10 }, (_, n) => `test ${n}`);

describe('webhooks by several processes on shared servers, without BUS_URL', function () {
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
  const allTold = () =>
    until('all to be told', () => idsOf(receiver.endpoint).size >= messagesIn(story), 10_000);
  const expectAll = async ({ again = false } = {}) => {
    const { endpoint, id, secret } = receiver;
    await allDelivered(api.owner, id, messagesIn(story));
    expectReceived(endpoint, story, { secret, again });
    await expectInReplay(endpoint, api.owner);
  };

  it('tell all once, in order, within some seconds, and say at the start that NATS would bring them at once', async () => {
    const alone = await Promise.all([nodes.start('publisher'), nodes.start('dispatcher')]);
    const took: number[] = [];
    for (let n = 0; n < 3; n += 1) {
      const began = performance.now();
      await failed(`single ${n}`);
      await allTold();
      took.push(performance.now() - began);
    }
    console.log(`        told after ${took.map((ms) => Math.round(ms)).join(', ')} ms`);
    await postStory(story, api.owner, { project, tests, statuses });
    await allTold();
    await expectAll();
    for (const each of alone) {
      expect(each.logged().find(isWarning)?.msg).to.match(/BUS_URL/);
      expect((await each.stop()).code).to.equal(0);
    }
  });

  it('with both roles in each of two processes, tell all, in order, whoever is killed', async () => {
    let working = await nodes.start('publisher,dispatcher');
    await failed('first');
    await allTold();
    const next = await nodes.start('publisher,dispatcher');
    await postStory(story, api.owner, { project, tests, statuses });
    await allTold();
    await working.kill();
    working = next;
    await postStory(story, api.owner, { project, tests, statuses });
    await until('all to be told', () => idsOf(receiver.endpoint).size >= messagesIn(story), 25_000);
    // Of what was under way nobody knows what came of it.
    await expectAll({ again: true });
    expect(next.logged().filter(isWarning)).to.deep.equal([]);
  });
});

function isWarning(line: { msg: string; [field: string]: unknown }): boolean {
  return line['level'] === 40 && line.msg.includes('BUS_URL');
}

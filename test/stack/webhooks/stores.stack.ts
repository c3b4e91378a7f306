/** Webhooks sent by several processes while their stores are killed and started again. */
import { until, type RunningServer } from '../../kit/process.js';
import { startStandIn } from '../esdb.js';
import { startMongod } from '../mongod.js';
import { startNats, type NatsServer } from '../nats.js';
import { startAll, type StackServer } from '../../kit/stack-server.js';
import { emptyStores } from '../../kit/store-urls.js';
import { allDelivered, projectOf, webhookNodes } from './webhook-nodes.js';
import {
  expectInReplay,
  expectReceived,
  messageIdsAt,
  messagesIn,
  postStory,
  type Story,
} from './webhook-story.js';

const statuses = ['Failed', 'Passed', 'Failed'];
const tests = Array.from({ length: 30 }, (_, n) => `test ${n}`);
const KILLS = 2;
const BACK_WITHIN_MS = 30_000;

describe('several processes that send webhooks', function () {
  this.timeout(180_000);
  let events: StackServer;
  let views: StackServer;
  let nats: NatsServer;
  beforeEach(async () => {
    [events, views, nats] = await startAll([startStandIn(), startMongod(), startNats()]);
  });
  const nodes = webhookNodes(
    () => nats.url,
    () => emptyStores({ events: events.url, views: views.url }),
  );
  afterEach(() => Promise.all([events, views, nats].map((server) => server.stop())));

  for (const [what, victim] of [
    ['event log', () => events],
    ['MongoDB', () => views],
  ] as const) {
    it(`send every message, in order for each test, though the ${what} is killed meanwhile`, async () => {
      const story: Story = new Map();
      const api: RunningServer = await nodes.startApi();
      const project = await projectOf(api);
      const roles = ['publisher', 'publisher', 'dispatcher', 'dispatcher'] as const;
      await Promise.all(roles.map((role) => nodes.start(role)));
      const receiver = await nodes.receiver(api.owner);
      const { endpoint } = receiver;
      const took: number[] = [];
      for (let round = 0; round < KILLS; round += 1) {
        const enough = messageIdsAt(endpoint).size + 10;
        await postStory(story, api.owner, { project, tests, statuses });
        await until('the endpoint to have some messages', () => messageIdsAt(endpoint).size >= enough);
        await victim().kill();
        await victim().start();
        const back = performance.now();
        await until(
          'the endpoint to have all messages',
          () => messageIdsAt(endpoint).size >= messagesIn(story),
          BACK_WITHIN_MS,
        );
        took.push(performance.now() - back);
        await until('the API to answer', async () => (await api.owner.get('/v1/projects')).status === 200);
      }
      console.log(
        `        the endpoint had all messages ${took.map((ms) => Math.round(ms)).join(', ')} ms after the restart`,
      );
      await allDelivered(api.owner, receiver.id, messagesIn(story));
      // An attempt that was answered but could not be recorded is made again.
      expectReceived(endpoint, story, { ...receiver, again: true });
      await expectInReplay(endpoint, api.owner);
    });
  }
});

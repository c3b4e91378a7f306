/** The thread of the roles `publisher` and `dispatcher`: folding and waiting for endpoints hold up no request. */
import { setPriority } from 'node:os';
import { openBus, openDeliveries, openForWebhooks } from '../adapters/open.js';
import { runDispatcherRole } from './dispatcher.js';
import { runPublisherRole } from './publisher.js';
import { openRoleContext } from './role-context.js';

/** A thread with this priority gets a third of the time of another one that wants the same processor. */
const NICE = 5;
// When all processors are busy, results go first and webhooks a little later. On other systems than Linux the priority
// would be that of the whole process.
if (process.platform === 'linux') setPriority(NICE);

export type WebhookStores = Awaited<ReturnType<typeof openStores>>;

const context = openRoleContext();
const { config } = context;
const stores = await openStores();
await Promise.all([
  config.roles.includes('publisher') && runPublisherRole(context, stores),
  config.roles.includes('dispatcher') && runDispatcherRole(context, stores),
]);
await stores.close();
context.close();

/** Both roles share them. @throws Error when one cannot be opened. */
async function openStores() {
  const { log: opened, ...views } = await openForWebhooks(config, context.logFailure('a store'));
  const log = opened.singleWriter ? { ...opened, append: context.append } : opened;
  const deliveries = await openDeliveries(config);
  const closing = [opened, views.writer, views.reader, views.state, deliveries].map((store) => store.close);
  const bus = await openBus(
    config,
    (close) => void closing.push(async () => close()),
    context.logFailure('the bus'),
  );
  return {
    ...views,
    log,
    deliveries,
    bus,
    async close() {
      for (const close of closing.toReversed()) await close();
    },
  };
}

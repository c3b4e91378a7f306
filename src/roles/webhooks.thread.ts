/** The thread of the roles `publisher` and `dispatcher`: folding and waiting for endpoints hold up no request. */
import { setPriority } from 'node:os';
import { openDeliveries, openForWebhooks, openRelay } from '../adapters/open.js';
import type { Message } from '../domain/messages/message.js';
import { partitionOf, type Partitions } from '../domain/partition.js';
import { openUnread } from '../webhooks/fan-out/unread.js';
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
const unread = openUnread();
const stores = await openStores();
await Promise.all([
  config.roles.includes('publisher') && runPublisherRole(context, stores, committed),
  config.roles.includes('dispatcher') && runDispatcherRole(context, stores, unread),
]);
await stores.close();
context.close();

function committed(messages: readonly Message[]): void {
  const partitions: Partitions = messages.map(({ team_id }) => partitionOf(team_id)).join('');
  unread.add(partitions);
  stores.relay?.send(messages);
}

/** Both roles share them. @throws Error when one cannot be opened. */
async function openStores() {
  const { log: opened, ...views } = await openForWebhooks(config, context.logFailure('a store'));
  const log = opened.singleWriter ? { ...opened, append: context.append } : opened;
  const deliveries = await openDeliveries(config);
  const closing = [opened, views.writer, views.reader, views.state, views.contents, deliveries].map(
    (store) => store.close,
  );
  const relay = await openRelay(config, (close) => void closing.push(async () => close()), {
    received: unread.add,
    report: context.logFailure('the bus'),
  });
  return {
    ...views,
    log,
    deliveries,
    relay,
    async close() {
      for (const close of closing.toReversed()) await close();
    },
  };
}

/** The thread of the roles `publisher` and `dispatcher`: folding and waiting for endpoints hold up no request. */
import { setPriority } from 'node:os';
import type { Message } from '../domain/messages/message.js';
import { partitionOf, type Partitions } from '../domain/partition.js';
import { openUnread } from '../webhooks/fan-out/unread.js';
import { runDispatcherRole } from './dispatcher.js';
import { runPublisherRole } from './publisher.js';
import { openWebhookStores } from './webhook-stores.js';
import { openRoleContext } from './role-context.js';

/** A thread with this priority gets a third of the time of another one that wants the same processor. */
const NICE = 5;
// When all processors are busy, results go first and webhooks a little later. On other systems than Linux the priority
// would be that of the whole process.
if (process.platform === 'linux') setPriority(NICE);

const context = openRoleContext();
const { config } = context;
const unread = openUnread();
const stores = await openWebhookStores(context, unread.add);
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

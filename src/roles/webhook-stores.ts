/** The stores of the thread `webhooks`, which the roles `publisher` and `dispatcher` share. */
import type { RelayOptions } from '../ports/relay.js';
import { openDeliveries, openForWebhooks, openRelay } from '../adapters/open.js';
import type { RoleContext } from './role-context.js';

export type WebhookStores = Awaited<ReturnType<typeof openWebhookStores>>;

/** `received`: gets the partitions of messages that came over NATS. @throws Error when one cannot be opened. */
export async function openWebhookStores(
  { config, append, logFailure }: RoleContext,
  received: RelayOptions['received'],
) {
  const { log: opened, ...views } = await openForWebhooks(config, logFailure('a store'));
  const log = opened.singleWriter ? { ...opened, append } : opened;
  const deliveries = await openDeliveries(config);
  const closing = [opened, views.writer, views.reader, views.state, views.contents, deliveries].map(
    (store) => store.close,
  );
  const relay = await openRelay(config, (close) => void closing.push(async () => close()), {
    received,
    report: logFailure('the bus'),
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

/** Sends a webhook the messages that it has missed (docs/api.md, section 5). */
import { history } from '../../../projections/history/history.js';
import { messageDocuments, type MessageDocument } from '../../../projections/outbox/messages.js';
import { addMilliseconds } from '../../clock.js';
import type { Instant, Position } from '../../domain/event.js';
import { eventPositionOf, type OutboxPosition } from '../../domain/messages/message.js';
import { isSubscribed, mustBeEnabled, type WebhookRecord } from '../../domain/messages/webhook.js';
import { partitionOf } from '../../domain/partition.js';
import { fail } from '../../errors.js';
import type { Deliveries } from '../../ports/deliveries.js';
import type { Cursor, ViewReader } from '../../ports/views.js';
import { typedViews } from '../../projecting/typed-views.js';
import type { Freshness } from '../../projecting/freshness.js';
import { withGroups } from '../outbox/group-messages.js';
import { openEnqueueInOrder } from './enqueue-in-order.js';

/** Each delivery of a page is looked up at once. */
const PAGE = 100;
const PAGE_OF_TIMES = 1_000;
/** The clocks of nodes may differ by this much: a later message may have a lower position. */
const SKEW_MS = 3_600_000;

export type RecoverOptions = {
  deliveries: Deliveries;
  /** The views of the history. */
  views: ViewReader;
  /** The freshness of the history, which must have the events from just before the request. */
  freshness: Freshness;
  /** The webhook as it is at each call. @throws AppError `not_found` once it is deleted. */
  load: () => Promise<WebhookRecord>;
  /** Deliveries that were finished longer ago are purged, so it is unknown whether they were delivered. */
  historyMs: number;
};

/**
 * Queues a delivery of each message of the team since an instant to which the webhook is subscribed and that is neither
 * delivered nor pending, in order for each subject. Returns how many. If it is cut off, the queued deliveries stay.
 * @throws AppError `webhook_disabled`, `not_found`, `views_unavailable` if the outbox does not have all messages
 * yet: then nothing is queued.
 */
export async function recover(
  { deliveries, views, freshness, load, historyMs }: RecoverOptions,
  { team, since: wanted, now }: { team: string; since: Instant; now: Instant },
): Promise<number> {
  const webhook = await enabled(load);
  const { webhook_id: id, since: enabledAt } = webhook;
  if ((await freshness(team)) > 0) {
    fail('views_unavailable', 'The messages are still being read from the log; try again.', {
      retryAfter: 2,
    });
  }
  const known = addMilliseconds(now, -historyMs);
  const since = wanted < known ? known : wanted;
  // Later messages belong to the fan-out. They may come faster than this goes through them.
  const end = await views.position(history.name, { partition: partitionOf(team) });
  const { enqueue, release } = openEnqueueInOrder(deliveries, { webhook: id, enabledAt, now });
  let count = 0;
  try {
    for await (const page of messagesOf(views, { team, since, end })) {
      const all = webhook.per === 'group' ? withGroups(page) : page;
      const wanted = all.filter((each) => each.at >= since && isSubscribed(webhook, each));
      for (let from = 0; from < wanted.length; from += PAGE)
        count += await enqueue(wanted.slice(from, from + PAGE));
      // If the webhook was disabled or deleted meanwhile, the deliveries queued since then are cancelled too.
      await enabled(load).catch(async (error: unknown) => {
        await deliveries.updatePending(id, 'cancel', now);
        throw error;
      });
    }
  } finally {
    await release();
  }
  return count;
}

async function enabled(load: RecoverOptions['load']): Promise<WebhookRecord> {
  const record = await load();
  mustBeEnabled(record);
  return record;
}

type Wanted = { team: string; since: Instant; end: Position };

/** In outbox order, from the first message that may be of that time, up to a position. */
async function* messagesOf(views: ViewReader, wanted: Wanted): AsyncGenerator<MessageDocument[]> {
  const from = await lowestSince(views, wanted);
  for (let after: Cursor | null | undefined; from !== null && after !== null;) {
    const { items, next } = await typedViews(views, history).find(messageDocuments, {
      where: { team_id: wanted.team },
      sort: { field: 'place', direction: 'ascending' },
      range: { from },
      limit: PAGE,
      ...(after && { after }),
    });
    const within = items.filter(({ place }) => eventPositionOf(place) <= wanted.end);
    yield within;
    after = within.length < items.length ? null : next;
  }
}

/** Position and time do not always agree: the lowest position of the messages within the skew after the instant. */
async function lowestSince(views: ViewReader, { team, since }: Wanted): Promise<OutboxPosition | null> {
  let lowest: OutboxPosition | null = null;
  let first: Instant | null = null;
  for (let after: Cursor | null | undefined; after !== null;) {
    const { items, next } = await typedViews(views, history).find(messageDocuments, {
      where: { team_id: team },
      sort: { field: 'at', direction: 'ascending' },
      range: { from: since },
      limit: PAGE_OF_TIMES,
      ...(after && { after }),
    });
    for (const { place, at } of items) {
      if (at > addMilliseconds((first ??= at), SKEW_MS)) return lowest;
      if (lowest === null || place < lowest) lowest = place;
    }
    after = next;
  }
  return lowest;
}

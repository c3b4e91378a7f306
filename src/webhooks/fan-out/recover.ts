/** Sends a webhook what it has missed (docs/api.md, section 5). */
import { outbox, type MessageDocument } from '../../../projections/publication.js';
import type { Instant, Position } from '../../domain/event.js';
import { eventPositionOf, type OutboxPosition } from '../../domain/message.js';
import { isSubscribed, mustBeEnabled, type WebhookRecord } from '../../domain/webhook.js';
import { fail } from '../../errors.js';
import { later } from '../../clock.js';
import type { Freshness } from '../../projecting/freshness.js';
import type { Render } from '../outbox/rendering.js';
import type { Cursor, ViewReader } from '../../ports/views.js';
import type { Deliveries } from '../../ports/deliveries.js';
import { openEnqueueInOrder } from './enqueue-in-order.js';

/** Bodies have up to 20 kB each. */
const PAGE = 100;
const WITHOUT_BODIES = 1_000;
/** Clocks of several nodes may differ by so much: what happened later may lie at a lower place. */
const SKEW_MS = 3_600_000;

export type Recovering = {
  deliveries: Deliveries;
  /** With the publication. */
  views: ViewReader;
  render: Render;
  /** Of the publication: what was just posted must be there. */
  freshness: Freshness;
  /** As it stands at each call. @throws LedgerError `not_found` once it is deleted. */
  load: () => Promise<WebhookRecord>;
  /** Of what was finished longer ago nobody knows whether it was delivered. */
  historyMs: number;
};

/**
 * Makes a delivery of each message of the team since an instant that the webhook is subscribed to and that is neither
 * delivered nor pending, in order for each subject; answers how many. What it has made when it is cut off stays made.
 * @throws LedgerError `webhook_disabled`, `not_found`, `views_unavailable` where the messages are not all there yet: then
 *   nothing is made.
 */
export async function recover(
  { deliveries, views, render, freshness, load, historyMs }: Recovering,
  { team, since: wanted, now }: { team: string; since: Instant; now: Instant },
): Promise<number> {
  const { webhook_id: id, events, since: enabledAt } = await enabled(load);
  if ((await freshness(team)) > 0) {
    fail('views_unavailable', 'The messages are still being read from the log; try again.', {
      retryAfter: 2,
    });
  }
  const known = later(now, -historyMs);
  const since = wanted < known ? known : wanted;
  // What comes later is the fan-out's, and it may come faster than it is gone through.
  const end = await views.position(outbox.name);
  const { setOut, letGo } = openEnqueueInOrder({ deliveries, render }, { webhook: id, enabledAt, now });
  let count = 0;
  try {
    for await (const page of messagesOf(views, { team, since, end })) {
      count += await setOut(page.filter(({ at, type }) => at >= since && isSubscribed(events, type)));
      // Disabled or deleted while this went on: what was made since then is cancelled too.
      await enabled(load).catch(async (error: unknown) => {
        await deliveries.updatePending(id, 'cancel', now);
        throw error;
      });
    }
  } finally {
    await letGo();
  }
  return count;
}

async function enabled(load: Recovering['load']): Promise<WebhookRecord> {
  const record = await load();
  mustBeEnabled(record);
  return record;
}

type Wanted = { team: string; since: Instant; end: Position };

/** By place, from the first that may be of that time, up to a position. */
async function* messagesOf(views: ViewReader, wanted: Wanted): AsyncGenerator<MessageDocument[]> {
  const from = await lowestSince(views, wanted);
  for (let after: Cursor | null | undefined; from !== null && after !== null;) {
    const { items, next } = await views.find(outbox, 'messages', {
      where: { team_id: wanted.team },
      sort: { field: 'place', direction: 'ascending' },
      range: { from },
      limit: PAGE,
      ...(after && { after }),
    });
    const messages = items as unknown as MessageDocument[];
    const within = messages.filter(({ place }) => eventPositionOf(place) <= wanted.end);
    yield within;
    after = within.length < messages.length ? null : next;
  }
}

/** Place and time do not always agree: of those that happened right after the instant the one at the lowest place. */
async function lowestSince(views: ViewReader, { team, since }: Wanted): Promise<OutboxPosition | null> {
  let lowest: OutboxPosition | null = null;
  let first: Instant | null = null;
  for (let after: Cursor | null | undefined; after !== null;) {
    const { items, next } = await views.find(outbox, 'messages', {
      where: { team_id: team },
      sort: { field: 'at', direction: 'ascending' },
      range: { from: since },
      limit: WITHOUT_BODIES,
      ...(after && { after }),
    });
    for (const { place, at } of items as unknown as MessageDocument[]) {
      if (at > later((first ??= at), SKEW_MS)) return lowest;
      if (lowest === null || place < lowest) lowest = place;
    }
    after = next;
  }
  return lowest;
}

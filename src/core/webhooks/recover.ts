/** Sends a webhook what it has missed (api-decisions, section 4). */
import { publication, type MessageDocument } from '../../../projections/publication.js';
import { deliveryOf, setOutAgain } from '../../domain/delivery.js';
import type { Instant, Position } from '../../domain/event.js';
import { positionAt } from '../../domain/message.js';
import { isSubscribed, mustBeEnabled, type WebhookRecord } from '../../domain/webhook.js';
import { fail } from '../../errors.js';
import type { Freshness } from '../freshness.js';
import type { Cursor, Deliveries, Held, ViewReader } from '../ports.js';

/** Bodies have up to 20 kB each. */
const PAGE = 100;

export type Recovering = {
  deliveries: Deliveries;
  /** With the publication. */
  views: ViewReader;
  /** Of the publication: what was just posted must be there. */
  freshness: Freshness;
  /** As it stands at each call. @throws LedgerError `not_found` once it is deleted. */
  load: () => Promise<WebhookRecord>;
};

/**
 * Makes a delivery of each message of the team since an instant that the webhook is subscribed to and that is neither
 * delivered nor pending, oldest first; answers how many. @throws LedgerError `webhook_disabled`, `not_found`,
 *   `views_unavailable` where the messages are not all there yet: then nothing is made.
 */
export async function recover(
  { deliveries, views, freshness, load }: Recovering,
  { team, since, now }: { team: string; since: Instant; now: Instant },
): Promise<number> {
  const { webhook_id: id, events, since: enabledAt } = await enabled(load);
  if ((await freshness(team)) > 0) {
    fail('views_unavailable', 'The messages are still being read from the log; try again.', {
      retryAfter: 2,
    });
  }
  let count = 0;
  for (let after: Cursor | null | undefined; after !== null;) {
    const { items, next } = await views.find(publication, 'messages', {
      where: { team_id: team },
      sort: { field: 'at', direction: 'ascending' },
      range: { from: since },
      limit: PAGE,
      ...(after && { after }),
    });
    const messages = (items as unknown as MessageDocument[]).filter(({ type }) => isSubscribed(events, type));
    count += await setOut(deliveries, messages, { webhook: id, enabledAt, now });
    after = next;
    // Disabled or deleted while this went on: what was made since then is cancelled too.
    await enabled(load).catch(async (error: unknown) => {
      await deliveries.all(id, 'cancel', now);
      throw error;
    });
  }
  return count;
}

async function enabled(load: Recovering['load']): Promise<WebhookRecord> {
  const record = await load();
  mustBeEnabled(record);
  return record;
}

/** `enabledAt`: where the webhook was last enabled. */
type To = { webhook: string; enabledAt: Position; now: Instant };

/** Answers how many of the messages are on their way now that were not before. */
async function setOut(deliveries: Deliveries, messages: readonly MessageDocument[], to: To): Promise<number> {
  const { webhook, now } = to;
  const wanted = messages.map((message) => deliveryOf(message, webhook, now, true));
  const held = await Promise.all(wanted.map(({ id }) => deliveries.get(id)));
  const missing = wanted.filter((_, n) => held[n] === null);
  const made = missing.length === 0 ? 0 : await deliveries.add(missing);
  // A page at once: the store takes them into few commits.
  const again = await Promise.all(
    messages.map((message, n) => setOutIfEnded(deliveries, message, held[n] ?? null, to)),
  );
  return made + again.filter(Boolean).length;
}

async function setOutIfEnded(
  deliveries: Deliveries,
  message: MessageDocument,
  held: Held | null,
  to: To,
): Promise<boolean> {
  if (held === null) return false;
  const { delivery, version } = held;
  const { state, asked, place } = delivery;
  if (state === 'delivered') return false;
  const waits = state === 'pending';
  // What waits from before the webhook was enabled would not be sent.
  if (waits && (asked || positionAt(place) > to.enabledAt)) return false;
  const wanted = waits ? { ...delivery, asked: true } : setOutAgain(delivery, message, to.now);
  if (await deliveries.put(wanted, version, to.now)) return !waits;
  // Somebody else changed it: it is looked at anew.
  return setOutIfEnded(deliveries, message, await deliveries.get(delivery.id), to);
}

/** The messages of the outbox that have targets, in order within each partition. */
import { history } from '../../../projections/history/history.js';
import { messageDocuments, type MessageDocument } from '../../../projections/outbox/messages.js';
import { ageMs, type Clock } from '../../clock.js';
import type { OutboxPosition } from '../../domain/messages/message.js';
import type { Partition } from '../../domain/partition.js';
import type { State } from '../../ports/state.js';
import type { ViewReader } from '../../ports/views.js';
import { typedViews } from '../../projecting/typed-views.js';
import { readCheckpoints } from './checkpoint.js';

/** Messages with targets after a position, in order. Fewer than `limit` means that there are no more yet. */
export async function outgoingAfter(
  views: ViewReader,
  { partition, place }: { partition: Partition; place: OutboxPosition },
  { limit }: { limit: number },
): Promise<MessageDocument[]> {
  const { items } = await typedViews(views, history).find(messageDocuments, {
    where: { outgoing: partition },
    sort: { field: 'place', direction: 'ascending' },
    range: { from: place, exclusive: true },
    limit,
  });
  return items;
}

/** The age in seconds of the oldest message without recorded deliveries; 0 if there is none. */
export async function outboxLag(state: State, views: ViewReader, clock: Clock): Promise<number> {
  const checkpoints = [...(await readCheckpoints(state)).values()];
  const oldest = await Promise.all(checkpoints.map((each) => outgoingAfter(views, each, { limit: 1 })));
  return Math.max(0, ...oldest.flat().map(({ at }) => ageMs(clock, at) / 1_000));
}

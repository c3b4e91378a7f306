/** Finds the messages of deliveries in the outbox. */
import { history } from '../../../projections/history/history.js';
import { messageDocuments, type MessageDocument } from '../../../projections/outbox/messages.js';
import { eventPositionOf, type Message } from '../../domain/messages/message.js';
import { partitionOf } from '../../domain/partition.js';
import type { ViewReader } from '../../ports/views.js';
import { typedViews } from '../../projecting/typed-views.js';
import { findGroupMessages } from './group-messages.js';

/**
 * `behind`: the history is not folded up to the message, as during a rebuild, and will have it. `lost`: the log has it no
 * longer, because it was restored from a backup that is older than the delivery.
 */
export type Found = MessageDocument | 'behind' | 'lost';

/** Finds messages of one team by their events, in the order of the references. @throws AppError `views_unavailable` */
export async function findMessages(
  views: ViewReader,
  references: readonly Pick<Message, 'event_id' | 'place' | 'team_id'>[],
): Promise<Found[]> {
  const read = async () => {
    const ids = references.map(({ event_id }) => event_id);
    const stored = await typedViews(views, history).get(messageDocuments, ids);
    const others = await findGroupMessages(
      views,
      references.filter((_, n) => stored[n] == null),
    );
    return references.map(({ event_id }, n) => stored[n] ?? others.get(event_id) ?? null);
  };
  const first = await read();
  const missing = references.find((_, n) => first[n] === null);
  if (missing === undefined) return first.filter((each) => each !== null);
  // Before the second read: a message up to here that is missing then will not come.
  const partition = partitionOf(missing.team_id);
  const position = await views.position(history.name, { partition });
  const second = await read();
  return references.map(
    ({ place }, n) => second[n] ?? (eventPositionOf(place) <= position ? 'lost' : 'behind'),
  );
}

/**
 * The messages of the groups of failures of runs, where the outbox does not have them: it has those that a webhook was to get
 * when the run was completed. The others follow from the message of the run.
 */
import { history } from '../../../projections/history/history.js';
import { messageDocuments, messageOf, type MessageDocument } from '../../../projections/outbox/messages.js';
import { groupDrafts } from '../../domain/messages/group-drafts.js';
import { messageTypes } from '../../domain/messages/message-types.js';
import { eventPositionOf, outboxPosition, type Message } from '../../domain/messages/message.js';
import { uuidOfEvent } from '../../domain/test-history/test.js';
import type { ViewReader } from '../../ports/views.js';
import { typedViews } from '../../projecting/typed-views.js';

/** In their order; none for a message that is not of a run. */
function groupMessagesOf(run: MessageDocument): MessageDocument[] {
  const { about, event_id, place, team_id, at } = run;
  if (about.kind !== 'run') return [];
  const position = eventPositionOf(place);
  return groupDrafts(uuidOfEvent(event_id), about).map((draft, n) =>
    messageOf(draft, { type: 'group.failed', n, position, team_id, at, targets: [] }),
  );
}

/** Messages of the outbox with those of groups, of which not all are stored. */
export function withGroups(stored: readonly MessageDocument[]): MessageDocument[] {
  return stored
    .filter(({ type }) => type !== 'group.failed')
    .flatMap((message) => [message, ...groupMessagesOf(message)]);
}

/** Those of some references that are of groups, by their ids. @throws AppError `views_unavailable` */
export async function findGroupMessages(
  views: ViewReader,
  references: readonly Pick<Message, 'event_id' | 'place' | 'team_id'>[],
): Promise<ReadonlyMap<string, MessageDocument>> {
  const found = new Map<string, MessageDocument>();
  const wanted = new Set(references.map(({ event_id }) => event_id));
  const runs = new Map(
    references
      .filter(({ place }) => isOfGroup(place))
      .map(({ place, team_id }) => [outboxPosition(eventPositionOf(place), RUN), team_id]),
  );
  for (const [place, team_id] of runs) {
    const sort = { field: 'place', direction: 'ascending' } as const;
    const query = { where: { team_id }, sort, range: { from: place }, limit: 1 };
    const { items } = await typedViews(views, history).find(messageDocuments, query);
    for (const run of items.filter((each) => each.place === place))
      for (const message of groupMessagesOf(run))
        if (wanted.has(message.event_id)) found.set(message.event_id, message);
  }
  return found;
}

const RUN = messageTypes['run.completed'].order;

function isOfGroup(place: Message['place']): boolean {
  const first = outboxPosition(eventPositionOf(place), messageTypes['group.failed'].order);
  return place === first || place.startsWith(`${first}.`);
}

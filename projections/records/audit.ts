/** Who did what in a team: an entry for each event that tells it (src/domain/audit/told-events.ts). */
import type { Details } from '../../src/domain/audit/acts.js';
import { entryOf, toldTypes, type StoredClient, type Subject } from '../../src/domain/audit/told-events.js';
import { parseStreamName, type Instant } from '../../src/domain/event.js';
import type { EventType } from '../../src/domain/events.js';
import { collection } from '../../src/domain/projection.js';
import { eventIdOf } from '../../src/domain/test-history/test.js';
import { projection, type Handler, type Handlers } from '../projection.js';

export type AuditDocument = {
  entry_id: string;
  team_id: string;
  /** The instant and then the position: entries are in this order, and those since an instant are a range of it. */
  place: string;
  type: string;
  at: Instant;
  actor: string;
  subject: Subject;
  details: Details;
  client: StoredClient | null;
};

export const auditDocuments = collection<AuditDocument>({
  name: 'audit',
  ids: 'event',
  indexes: [
    ['team_id', 'place'],
    ['team_id', 'actor', 'place'],
    ['team_id', 'type', 'place'],
    ['team_id', 'actor', 'type', 'place'],
  ],
  totals: [['team_id'], ['team_id', 'actor'], ['team_id', 'type'], ['team_id', 'actor', 'type']],
  rarelyRead: true,
});

const told: Handler<EventType> = {
  // Loaded, although it is new: if the log holds the event twice, the totals count it once.
  touches: ({ id }) => [auditDocuments.at(eventIdOf(id))],
  apply(documents, event) {
    const { team_id, actor, at, facts } = event.meta;
    const entry = entryOf(event, parseStreamName(event.stream).id);
    if (entry === null) return;
    const entry_id = eventIdOf(event.id);
    documents.put(auditDocuments, entry_id, {
      entry_id,
      team_id,
      place: `${at} ${event.position}`,
      at,
      actor,
      ...entry,
      client: (facts?.['client'] as StoredClient | undefined) ?? null,
    } satisfies AuditDocument);
  },
};

export const audit = projection({
  takesPurged: true,
  name: 'audit',
  version: 3,
  collections: [auditDocuments],
  on: {
    ...(Object.fromEntries(toldTypes.map((type) => [type, told])) as Handlers),
    ActCounted: {
      touches: ({ data }) => [auditDocuments.at(data.entry_id)],
      apply(documents, { data: { entry_id, count } }) {
        const entry = documents.get(auditDocuments, entry_id);
        if (entry === null) return;
        documents.put(auditDocuments, entry_id, { ...entry, details: { ...entry.details, count } });
      },
    },
  },
});

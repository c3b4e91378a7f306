/** A projection for the tests of the fold: things that remember the values of their events. */
import { projection } from '../../projections/projection.js';
import type { RecordedEvent } from '../../src/domain/event.js';
import { collection, type Projection } from '../../src/domain/projection.js';

/** The n-th position. */
export const at = (n: number) => String(n).padStart(20, '0');

/** An event of a thing: it is put with a value, or removed. */
export function happened(n: number, id: string, value: number | null): RecordedEvent {
  const data = { run_id: id, project_id: 'project_1', value };
  return {
    type: 'RunReturnedToPending',
    version: 1,
    position: at(n),
    data,
    meta: {},
  } as unknown as RecordedEvent;
}

export const thingDocuments = collection<{ seen?: number[] }>({
  name: 'things',
  ids: 'run',
  indexes: [],
  // No fold keeps one in memory: what it has of one comes from the store.
  rarelyRead: true,
});

export const things: Projection = projection({
  name: 'things',
  version: 1,
  collections: [thingDocuments],
  on: {
    RunReturnedToPending: {
      touches: ({ data }) => [thingDocuments.at(data.run_id)],
      apply(documents, { data }) {
        const { value } = data as unknown as { value: number | null };
        const before = documents.get(thingDocuments, data.run_id);
        if (value === null) documents.remove(thingDocuments, data.run_id);
        else if (value !== 0)
          documents.put(thingDocuments, data.run_id, { seen: [...(before?.seen ?? []), value] });
      },
    },
  },
});

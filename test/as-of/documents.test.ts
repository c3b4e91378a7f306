import { pastDocuments, type PastDocuments } from '../../src/as-of/documents.js';
import { ALL_PARTITIONS } from '../../src/domain/partition.js';
import { START } from '../../src/domain/event.js';
import type { ViewReader, ViewWriter } from '../../src/ports/views.js';
import { findContract } from '../contract/views/find.js';

/** The one promise of a store of read models that documents of the past keep: what is found, and in which order. */
describe('documents of the past', () => {
  let documents: PastDocuments;
  let position = START;
  const writer: Partial<ViewWriter> = {
    async prepare(spec) {
      documents = pastDocuments(spec);
      position = START;
    },
    builds: async () => [
      {
        build: 1,
        version: 1,
        live: true,
        checkpoints: [{ partitions: ALL_PARTITIONS, position, epoch: 1 }],
        position,
        epoch: 1,
        lastEvent: null,
      },
    ],
    async commit(_, { changes, to }) {
      documents.keep(changes);
      position = to;
    },
  };
  const reader: Partial<ViewReader> = {
    find: async (_, collection, query) => documents.find(collection, query),
    get: async (_, collection, ids) => documents.get(collection, ids),
  };
  findContract({ reader: reader as ViewReader, writer: writer as ViewWriter, reopen: async () => {} });
});

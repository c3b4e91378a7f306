/** Read models without the documents of purged runs and projects, which are in them until they are built anew. */
import type { Document } from '../domain/projection.js';
import type { ViewReader } from '../ports/views.js';
import type { Masks } from './masks.js';

/** What a document is of. A message says it of what it is about. */
type Owners = {
  project_id?: unknown;
  test_run_id?: unknown;
  run_id?: unknown;
  about?: Owners & { test?: Owners };
};

export function withoutPurged(views: ViewReader, masks: Pick<Masks, 'current'>): ViewReader {
  return {
    ...views,
    async get(spec, collection, ids) {
      const found = await views.get(spec, collection, ids);
      const now = masks.current();
      const { purged } = now instanceof Promise ? await now : now;
      if (purged.size === 0) return found;
      return found.map((document) => (document !== null && isPurged(document, purged) ? null : document));
    },
    async find(spec, collection, query) {
      const found = await views.find(spec, collection, query);
      const now = masks.current();
      const { purged } = now instanceof Promise ? await now : now;
      if (purged.size === 0) return found;
      return { ...found, items: found.items.filter((document) => !isPurged(document, purged)) };
    },
  };
}

function isPurged(document: Document, purged: ReadonlySet<string>): boolean {
  const isOf = ({ project_id, test_run_id, run_id }: Owners) =>
    [project_id, test_run_id, run_id].some((id) => purged.has(id as string));
  const { about } = document as Owners;
  return isOf(document as Owners) || (about !== undefined && (isOf(about) || isOf(about.test ?? {})));
}

/**
 * The documents of one build, as a fold loads and commits them. It caches recent documents, so that those of a busy run
 * are not read back.
 */
import { LRUCache } from 'lru-cache';
import type { Document, ProjectionSpec } from '../domain/projection.js';
import { emptyWhenIdle } from '../memory/collect-when-idle.js';
import { estimateBytes } from '../memory/estimate-bytes.js';
import type { Build, Change, Commit, DocumentKey, ViewWriter } from '../ports/views.js';

/** The cache of one collection. */
const RECENT_BYTES = 1024 * 1024;
const MOST_RECENT = 500;
const LEAST_BYTES = Math.ceil(RECENT_BYTES / MOST_RECENT);

/** The build to fold into. */
export type BuildStart = Pick<Build, 'build' | 'epoch'>;

export type CommittedMove = Required<Pick<Commit, 'partitions' | 'from' | 'to'>> & Pick<Commit, 'lastEvent'>;

export type LoadDocuments = (keys: readonly DocumentKey[]) => Promise<(Document | null)[]>;

export type BuildStore = {
  load: LoadDocuments;
  /** Writes the documents and the checkpoint together. @throws AppError `fenced` */
  commit(changes: readonly Change[], move: CommittedMove): Promise<void>;
};

/** Opens a build to load documents from and to commit to. */
export function openBuild(
  projection: ProjectionSpec,
  views: ViewWriter,
  { build, epoch }: BuildStart,
): BuildStore {
  const recent = new Map(
    projection.collections
      .filter(({ rarelyRead }) => rarelyRead !== true)
      .map(({ name }) => [
        name,
        new LRUCache<string, Document>({
          maxSize: RECENT_BYTES,
          // With a `max`, it would take room for as many documents of each collection from the start.
          sizeCalculation: (document) => Math.max(estimateBytes(document), LEAST_BYTES),
        }),
      ]),
  );
  for (const documents of recent.values()) emptyWhenIdle(documents);
  return {
    async load(keys) {
      const documents: (Document | null)[] = [];
      const missing: { key: DocumentKey; index: number }[] = [];
      keys.forEach((key, index) => {
        const known = recent.get(key.collection)?.get(key.id);
        documents.push(known ?? null);
        if (known === undefined) missing.push({ key, index });
      });
      if (missing.length === 0) return documents;
      const loaded = await views.load(
        projection,
        build,
        missing.map(({ key }) => key),
      );
      missing.forEach(({ index }, n) => (documents[index] = loaded[n] ?? null));
      return documents;
    },
    async commit(changes, move) {
      await views.commit(projection, { build, epoch, ...move, changes });
      const changed = new Map<string, number>();
      for (const { collection } of changes) changed.set(collection, (changed.get(collection) ?? 0) + 1);
      for (const { collection, id, after } of changes) {
        const documents = recent.get(collection);
        if (documents === undefined) continue;
        // More documents than fit would push each other out.
        if (after !== null && changed.get(collection)! <= MOST_RECENT) documents.set(id, after);
        // A rebuild writes thousands at a time, and keeps none of them.
        else if (documents.size > 0) documents.delete(id);
      }
    },
  };
}

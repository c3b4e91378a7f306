/**
 * Contents in a SQLite file: that of the log, which stores those of an append in its transaction, or that of the state, for a
 * log on a server. Reads run on the calling thread.
 */
import { randomInt } from 'node:crypto';
import type { Contents, Held, Mark, Released } from '../../../ports/contents.js';
import { inStore, openStore, type SqliteFile } from '../errors.js';
import { openWriter } from '../writer.js';
import { bytesOf, hashOf, textIn, type ContentWrite } from './table.js';

/** The file is there. @throws AppError of the store's code when it cannot be used */
export function openSqliteContents(store: SqliteFile): Contents {
  const writer = openWriter<ContentWrite, Released>(store, 'contents');
  const database = openStore(store, { readonly: true, synchronous: 'FULL', busyTimeoutMs: 5_000 });
  const body = database.prepare('SELECT body FROM contents WHERE hash = ?').raw();
  const isMarked = database.prepare('SELECT EXISTS (SELECT 1 FROM content_marks)').raw();
  const mark = database.prepare('SELECT reason FROM content_marks WHERE id = ?').raw();
  const holders = database.prepare('SELECT id, name FROM holders WHERE name > ? ORDER BY name LIMIT ?').raw();
  const heldBy = database
    .prepare(
      'SELECT hash FROM content_holders JOIN contents ON id = content WHERE holder = ? ORDER BY content',
    )
    .raw();
  const heldByName = database
    .prepare(
      `SELECT hash FROM content_holders JOIN contents ON id = content
       WHERE holder = (SELECT id FROM holders WHERE name = ?)`,
    )
    .raw();
  const marks = database
    .prepare('SELECT id, reason FROM content_marks WHERE id > ? ORDER BY id LIMIT ?')
    .raw();
  let closing: Promise<void> | undefined;

  return {
    read: async (hashes) =>
      inStore(store, () => {
        const found = new Map<string, string>();
        for (const hash of new Set(hashes)) {
          const row = body.get([bytesOf(hash)]) as [string | Uint8Array] | undefined;
          if (row !== undefined) found.set(hash, textIn(row[0]));
        }
        return found;
      }),
    keep: async (holder, contents) => void (await writer.write({ type: 'keep', holder, contents })),
    held: async (after, limit) =>
      inStore(store, () =>
        (holders.all([after, limit]) as [number, string][]).map(([id, holder]): Held => {
          const hashes = (heldBy.all([id]) as [Uint8Array][]).map(([bytes]) => hashOf(bytes));
          return { holder, hashes };
        }),
      ),
    question: async (holder) => {
      const id = randomInt(2 ** 48 - 1);
      await writer.write({ type: 'question', holder, id });
      const hashes = inStore(store, () => heldByName.all([holder]) as [Uint8Array][]).map(([bytes]) =>
        hashOf(bytes),
      );
      return { id: String(id), hashes };
    },
    release: (holder, hashes, question) =>
      writer.write({
        type: 'release',
        holder,
        hashes: hashes ?? null,
        question: question === undefined ? null : Number(question),
      }),
    mark: async (ids, reason) => void (await writer.write({ type: 'mark', ids, reason })),
    marked: async (ids) =>
      inStore(store, () => {
        const found = new Map<string, Mark>();
        // Most logs have no mark at all.
        if ((isMarked.get([]) as [number])[0] === 0) return found;
        for (const id of ids) {
          const row = mark.get([id]) as [Mark] | undefined;
          if (row !== undefined) found.set(id, row[0]);
        }
        return found;
      }),
    marks: async (after, limit) =>
      inStore(store, () =>
        (marks.all([after, limit]) as [string, Mark][]).map(([id, reason]) => ({ id, reason })),
      ),
    close: () =>
      (closing ??= writer.close().then(() => {
        database.close();
      })),
  };
}

/**
 * Contents in a SQLite file: that of the log, which stores those of an append in its transaction, or that of the state, for a
 * log on a server. Reads run on the calling thread.
 */
import { randomInt } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Contents, Held, Mark, Released } from '../../../ports/contents.js';
import type { OpenContents } from '../../adapter.js';
import type { SqliteDatabase } from '../database.js';
import { inStore, openStore, type SqliteFile } from '../errors.js';
import { openWriter } from '../writer.js';
import { bytesOf, hashOf, textIn, type ContentWrite } from './table.js';

/** In characters. The results of a run mostly name the same few contents, and a look into the file takes 10 µs. */
const REMEMBERED = 2_000_000;
const LONGEST_REMEMBERED = 50_000;
/** Requests and appends wait for each part: that of a run of 50,000 results as a whole took 90 ms. */
const QUESTIONED_AT_ONCE = 500;

/** The file is there. Long because it is a port: each method is short. @throws AppError of the code of the store */
export function openSqliteContents(store: SqliteFile, { forgetsAlone = false }: OpenContents = {}): Contents {
  const writer = openWriter<ContentWrite, Released>(store, 'contents');
  const database = openStore(store, { readonly: true, synchronous: 'FULL', busyTimeoutMs: 5_000 });
  const { body, isMarked, marksOf, holders, heldBy, heldPart, projectBytes, marks } = statementsOn(database);
  const remembered = forgetsAlone ? openTexts() : null;
  /** Most logs have no mark at all, and are not searched for one. Where others forget, too, `none` is not remembered. */
  let anyMarks: 'unknown' | 'none' | 'some' = 'unknown';
  let closing: Promise<void> | undefined;

  function read(hash: string): string | undefined {
    const known = remembered?.get(hash);
    if (known !== undefined) return known;
    const row = body.get([bytesOf(hash)]) as [string | Uint8Array] | undefined;
    if (row === undefined) return undefined;
    const text = textIn(row[0]);
    remembered?.set(hash, text);
    return text;
  }

  return {
    read: async (hashes) =>
      inStore(store, () => {
        const found = new Map<string, string>();
        for (const hash of hashes) {
          const text = found.has(hash) ? undefined : read(hash);
          if (text !== undefined) found.set(hash, text);
        }
        return found;
      }),
    keep: async (by, contents) => void (await writer.write({ type: 'keep', by, contents })),
    held: async (after, limit) =>
      inStore(store, () =>
        (holders.all([after, limit]) as [number, string, string][]).map(([id, holder, project]): Held => {
          const hashes = (heldBy.all([id]) as [Uint8Array][]).map(([bytes]) => hashOf(bytes));
          return { holder, project, hashes };
        }),
      ),
    question: async (holder) => {
      const id = randomInt(2 ** 48 - 1);
      const hashes: string[] = [];
      for (let after = 0; ;) {
        const part = inStore(store, () => heldPart.all([holder, after, QUESTIONED_AT_ONCE])) as [
          number,
          Uint8Array,
        ][];
        const last = part.at(-1)?.[0];
        // Most places that are asked hold nothing any more: a write would wait for the disk.
        if (last === undefined) return { id: String(id), hashes };
        for (const [, bytes] of part) hashes.push(hashOf(bytes));
        await writer.write({ type: 'question', holder, id, after, last });
        after = last;
      }
    },
    release: async (holder, hashes, question) => {
      try {
        return await writer.write({
          type: 'release',
          holder,
          hashes: hashes ?? null,
          question: question === undefined ? null : Number(question),
        });
      } finally {
        // It may be done where the answer was lost. A read that comes later reads the file.
        remembered?.clear();
      }
    },
    async mark(ids, reason) {
      anyMarks = 'some';
      await writer.write({ type: 'mark', ids, reason });
    },
    marked: async (ids) =>
      inStore(store, () => {
        const has = anyMarks === 'unknown' ? (isMarked.get([]) as [number])[0] === 1 : anyMarks === 'some';
        if (has) anyMarks = 'some';
        else if (forgetsAlone) anyMarks = 'none';
        if (!has) return new Map();
        return new Map(marksOf.all([JSON.stringify(ids)]) as [string, Mark][]);
      }),
    bytesOf: async (projects) =>
      inStore(store, () => new Map(projectBytes.all([JSON.stringify(projects)]) as [string, number][])),
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

function openTexts(): LRUCache<string, string> {
  return new LRUCache({
    maxSize: REMEMBERED,
    maxEntrySize: LONGEST_REMEMBERED,
    sizeCalculation: ({ length }) => length + ENTRY_CHARACTERS,
  });
}

/** Of an entry, beside its text. */
const ENTRY_CHARACTERS = 100;

function statementsOn(database: SqliteDatabase) {
  const body = database.prepare('SELECT body FROM contents WHERE hash = ?').raw();
  const isMarked = database.prepare('SELECT EXISTS (SELECT 1 FROM content_marks)').raw();
  const marksOf = database
    .prepare('SELECT id, reason FROM content_marks WHERE id IN (SELECT value FROM json_each(?))')
    .raw();
  const holders = database
    .prepare(
      `SELECT holders.id, holders.name, content_projects.name
       FROM holders JOIN content_projects ON content_projects.id = project
       WHERE holders.name > ? ORDER BY holders.name LIMIT ?`,
    )
    .raw();
  const heldBy = database
    .prepare(
      'SELECT hash FROM content_holders JOIN contents ON id = content WHERE holder = ? ORDER BY content',
    )
    .raw();
  const heldPart = database
    .prepare(
      `SELECT content, hash FROM content_holders JOIN contents ON id = content
       WHERE holder = (SELECT id FROM holders WHERE name = ?) AND content > ? ORDER BY content LIMIT ?`,
    )
    .raw();
  const projectBytes = database
    .prepare(
      'SELECT name, bytes FROM content_projects WHERE name IN (SELECT value FROM json_each(?)) AND bytes > 0',
    )
    .raw();
  const marks = database
    .prepare('SELECT id, reason FROM content_marks WHERE id > ? ORDER BY id LIMIT ?')
    .raw();
  return { body, isMarked, marksOf, holders, heldBy, heldPart, projectBytes, marks };
}

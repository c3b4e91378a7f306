/** The tables of contents, in the file of the log or of the state, and their statements. */
import { LRUCache } from 'lru-cache';
import type { Content } from '../../../domain/event.js';
import type { Mark } from '../../../ports/contents.js';
import type { SqliteDatabase } from '../database.js';
import { deflated, inflated } from '../deflate.js';
import { immediately } from '../transaction.js';

/** Numbers stand for holders: a run may hold thousands of contents. `text_bytes`: of a body that is deflated. */
export const CONTENT_TABLES = `
  CREATE TABLE contents (
    id INTEGER PRIMARY KEY,
    hash BLOB NOT NULL UNIQUE,
    text_bytes INTEGER,
    body ANY NOT NULL
  ) STRICT;
  CREATE TABLE holders (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
  ) STRICT;
  CREATE TABLE content_holders (
    holder INTEGER NOT NULL REFERENCES holders (id),
    content INTEGER NOT NULL REFERENCES contents (id),
    PRIMARY KEY (holder, content)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX content_holders_by_content ON content_holders (content);
  CREATE TABLE content_marks (
    id TEXT PRIMARY KEY,
    reason TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
`;

export type ContentWrite =
  | { type: 'keep'; holder: string; contents: readonly Content[] }
  | { type: 'release'; holder: string; hashes: readonly string[] | null }
  | { type: 'mark'; ids: readonly string[]; reason: Mark };

export function frees({ type }: ContentWrite): boolean {
  return type === 'release';
}

/** Smaller texts do not become smaller. */
const LEAST_CHARACTERS = 200;

/** Pairs of holder and hash that were kept lately: the results of a run mostly name the same few. */
const KEPT_PAIRS = 2_000;

export type Keeper = {
  /** Inside a transaction. */
  keep(by: { holder: string; kept: readonly Content[] }): void;
  /** After a rollback: what was kept in it is not there. */
  forget(): void;
};

/** How many releases this thread has made, in any file. It makes all of them: each file has one thread that writes. */
let releases = 0;

export function contentKeeper(database: SqliteDatabase): Keeper {
  const findHolder = database.prepare('SELECT id FROM holders WHERE name = ?').raw();
  const addHolder = database.prepare('INSERT INTO holders (name) VALUES (?) RETURNING id').raw();
  const find = database.prepare('SELECT id FROM contents WHERE hash = ?').raw();
  const add = database
    .prepare('INSERT INTO contents (hash, text_bytes, body) VALUES (?, ?, ?) RETURNING id')
    .raw();
  const hold = database.prepare('INSERT OR IGNORE INTO content_holders (holder, content) VALUES (?, ?)');
  const recent = new LRUCache<string, true>({ max: KEPT_PAIRS });
  let seen = releases;

  const idOf = (row: unknown): number => (row as [number])[0];

  return {
    keep({ holder, kept }) {
      // Another connection of this thread may have released some: they must be stored anew.
      if (seen !== releases) recent.clear();
      seen = releases;
      let holderId: number | null = null;
      for (const { hash, text } of kept) {
        const pair = `${holder} ${hash}`;
        if (recent.get(pair) === true) continue;
        holderId ??= idOf(findHolder.get(holder) ?? addHolder.get(holder));
        const bytes = bytesOf(hash);
        const content = idOf(find.get([bytes]) ?? add.get([bytes, ...bodyOf(text)]));
        hold.run([holderId, content]);
        recent.set(pair, true);
      }
    },
    forget: () => recent.clear(),
  };
}

/** Prepares the function that does a list of writes in one transaction: all of them or none. */
export function contentWritesOn(database: SqliteDatabase): (writes: readonly ContentWrite[]) => number[] {
  const keeper = contentKeeper(database);
  const ofHolder = '(SELECT id FROM holders WHERE name = ?)';
  const heldBy = database
    .prepare(
      `SELECT content, hash FROM content_holders JOIN contents ON id = content WHERE holder = ${ofHolder}`,
    )
    .raw();
  const letGo = database.prepare(`DELETE FROM content_holders WHERE holder = ${ofHolder} AND content = ?`);
  const remove = database.prepare(
    'DELETE FROM contents WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM content_holders WHERE content = ?1)',
  );
  const removeHolder = database.prepare(
    'DELETE FROM holders WHERE name = ? AND NOT EXISTS (SELECT 1 FROM content_holders WHERE holder = holders.id)',
  );
  const mark = database.prepare(
    `INSERT INTO content_marks (id, reason) VALUES (?1, ?2)
     ON CONFLICT DO UPDATE SET reason = ?2 WHERE ?2 = 'deleted'`,
  );

  const done = (write: ContentWrite): number => {
    switch (write.type) {
      case 'keep':
        keeper.keep({ holder: write.holder, kept: write.contents });
        return 0;
      case 'mark':
        for (const id of write.ids) mark.run([id, write.reason]);
        return 0;
      case 'release': {
        releases += 1;
        const { holder } = write;
        const wanted = write.hashes && new Set(write.hashes);
        let removed = 0;
        for (const [content, bytes] of heldBy.all([holder]) as [number, Uint8Array][]) {
          if (wanted?.has(hashOf(bytes)) === false) continue;
          letGo.run([holder, content]);
          removed += remove.run([content]).changes;
        }
        removeHolder.run([holder]);
        return removed;
      }
    }
  };

  return (writes) => {
    try {
      return immediately(database, () => writes.map(done));
    } catch (error) {
      keeper.forget();
      throw error;
    }
  };
}

function bodyOf(text: string): [number | null, string | Uint8Array] {
  if (text.length < LEAST_CHARACTERS) return [null, text];
  const bytes = Buffer.from(text);
  const small = deflated(bytes);
  return small.length < bytes.length ? [bytes.length, small] : [null, text];
}

/** @throws SyntaxError for a damaged row */
export function textIn(body: string | Uint8Array): string {
  return typeof body === 'string' ? body : inflated(body);
}

/** As bytes a hash takes three quarters. */
export function bytesOf(hash: string): Uint8Array {
  return Buffer.from(hash, 'base64url');
}

export function hashOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64url');
}

/** The tables of contents, in the file of the log or of the state, and their statements. */
import { LRUCache } from 'lru-cache';
import type { Content, KeptBy } from '../../../domain/event.js';
import type { Mark, Released } from '../../../ports/contents.js';
import type { SqliteDatabase } from '../database.js';
import { deflated, inflated } from '../deflate.js';
import { immediately } from '../transaction.js';

/**
 * Numbers stand for holders, of which one may hold thousands of contents, and for projects. The bytes of a project are those of
 * the contents that it has brought. `text_bytes`: of a body that is deflated. `question`: of the
 * release that may be about to end it.
 */
export const CONTENT_TABLES = `
  CREATE TABLE content_projects (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    bytes INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE contents (
    id INTEGER PRIMARY KEY,
    hash BLOB NOT NULL UNIQUE,
    project INTEGER NOT NULL REFERENCES content_projects (id),
    text_bytes INTEGER,
    body ANY NOT NULL
  ) STRICT;
  CREATE TABLE holders (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    project INTEGER NOT NULL REFERENCES content_projects (id)
  ) STRICT;
  CREATE TABLE content_holders (
    holder INTEGER NOT NULL REFERENCES holders (id),
    content INTEGER NOT NULL REFERENCES contents (id),
    question INTEGER,
    PRIMARY KEY (holder, content)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX content_holders_by_content ON content_holders (content);
  CREATE TABLE content_marks (
    id TEXT PRIMARY KEY,
    reason TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
`;

export type ContentWrite =
  | { type: 'keep'; by: KeptBy; contents: readonly Content[] }
  /** Of the contents after one, up to the last. */
  | { type: 'question'; holder: string; id: number; after: number; last: number }
  | { type: 'release'; holder: string; hashes: readonly string[] | null; question: number | null }
  | { type: 'mark'; ids: readonly string[]; reason: Mark };

export function frees({ type }: ContentWrite): boolean {
  return type === 'release';
}

/** Smaller texts do not become smaller. */
const LEAST_CHARACTERS = 200;

const KEPT_PROJECTS = 500;
/** Pairs of holder and hash that were kept lately: the results of a run mostly name the same few. */
const KEPT_PAIRS = 2_000;

export type Keeper = {
  /** Inside a transaction. */
  keep(by: KeptBy & { kept: readonly Content[] }): void;
  /** After a rollback: what was kept in it is not there. */
  forget(): void;
};

/** How many releases and questions this thread has made, in any file. It makes all of them: each file has one thread that writes. */
let releases = 0;

export function contentKeeper(database: SqliteDatabase): Keeper {
  const findHolder = database.prepare('SELECT id FROM holders WHERE name = ?').raw();
  const addHolder = database.prepare('INSERT INTO holders (name, project) VALUES (?, ?) RETURNING id').raw();
  const find = database.prepare('SELECT id FROM contents WHERE hash = ?').raw();
  const add = database
    .prepare('INSERT INTO contents (hash, project, text_bytes, body) VALUES (?, ?, ?, ?) RETURNING id')
    .raw();
  const hold = database.prepare(
    `INSERT INTO content_holders (holder, content) VALUES (?, ?)
     ON CONFLICT DO UPDATE SET question = NULL WHERE question IS NOT NULL`,
  );
  const findProject = database.prepare('SELECT id FROM content_projects WHERE name = ?').raw();
  const addProject = database
    .prepare('INSERT INTO content_projects (name, bytes) VALUES (?, 0) RETURNING id')
    .raw();
  const grow = database.prepare('UPDATE content_projects SET bytes = bytes + ?2 WHERE id = ?1');
  const recent = new LRUCache<string, true>({ max: KEPT_PAIRS });
  const projects = new LRUCache<string, number>({ max: KEPT_PROJECTS });
  let seen = releases;

  const idOf = (row: unknown): number => (row as [number])[0];
  const projectOf = (name: string): number => {
    const id = projects.get(name) ?? idOf(findProject.get([name]) ?? addProject.get([name]));
    projects.set(name, id);
    return id;
  };

  return {
    keep({ holder, project, kept }) {
      // Another connection of this thread may have released some: they must be stored anew.
      if (seen !== releases) recent.clear();
      seen = releases;
      let holderId: number | null = null;
      let grown = 0;
      for (const { hash, text } of kept) {
        const pair = `${holder} ${hash}`;
        if (recent.get(pair) === true) continue;
        const projectId = projectOf(project);
        holderId ??= idOf(findHolder.get(holder) ?? addHolder.get([holder, projectId]));
        const bytes = bytesOf(hash);
        let row = find.get([bytes]);
        if (row === undefined) {
          const [textBytes, body] = bodyOf(text);
          row = add.get([bytes, projectId, textBytes, body]);
          grown += Buffer.byteLength(body);
        }
        hold.run([holderId, idOf(row)]);
        recent.set(pair, true);
      }
      if (grown > 0) grow.run([projectOf(project), grown]);
    },
    forget() {
      recent.clear();
      projects.clear();
    },
  };
}

/** A content, its bytes, and the project that brought it. */
type Held = [content: number, bytes: number, project: number];

const NOTHING: Released = { contents: 0, bytes: 0 };

/** Prepares the function that does a list of writes in one transaction: all of them or none. */
export function contentWritesOn(database: SqliteDatabase): (writes: readonly ContentWrite[]) => Released[] {
  const keeper = contentKeeper(database);
  const ofHolder = '(SELECT id FROM holders WHERE name = ?1)';
  const heldBy = database
    .prepare(
      `SELECT content, length(CAST(body AS BLOB)), project FROM content_holders JOIN contents ON id = content
       WHERE holder = ${ofHolder} AND (?2 IS NULL OR question = ?2)`,
    )
    .raw();
  const heldByHash = database
    .prepare(
      `SELECT id, length(CAST(body AS BLOB)), project FROM contents JOIN content_holders ON content = id
       WHERE hash = ?3 AND holder = ${ofHolder} AND (?2 IS NULL OR question = ?2)`,
    )
    .raw();
  const question = database.prepare(
    `UPDATE content_holders SET question = ?2 WHERE holder = ${ofHolder} AND content > ?3 AND content <= ?4`,
  );
  const letGo = database.prepare(`DELETE FROM content_holders WHERE holder = ${ofHolder} AND content = ?2`);
  const remove = database.prepare(
    'DELETE FROM contents WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM content_holders WHERE content = ?1)',
  );
  const shrink = database.prepare('UPDATE content_projects SET bytes = bytes - ?2 WHERE id = ?1');
  const removeHolder = database.prepare(
    'DELETE FROM holders WHERE name = ? AND NOT EXISTS (SELECT 1 FROM content_holders WHERE holder = holders.id)',
  );
  const mark = database.prepare(
    `INSERT INTO content_marks (id, reason) VALUES (?1, ?2)
     ON CONFLICT DO UPDATE SET reason = ?2 WHERE ?2 = 'deleted'`,
  );

  const done = (write: ContentWrite): Released => {
    switch (write.type) {
      case 'keep':
        keeper.keep({ ...write.by, kept: write.contents });
        return NOTHING;
      case 'mark':
        for (const id of write.ids) mark.run([id, write.reason]);
        return NOTHING;
      case 'question':
        // What is kept from now on must say so.
        releases += 1;
        question.run([write.holder, write.id, write.after, write.last]);
        return NOTHING;
      case 'release': {
        releases += 1;
        const { holder, hashes } = write;
        const released = { ...NOTHING };
        const held = (
          hashes === null
            ? heldBy.all([holder, write.question])
            : hashes.flatMap((hash) => heldByHash.all([holder, write.question, bytesOf(hash)]))
        ) as Held[];
        for (const [content, bytes, project] of held) {
          letGo.run([holder, content]);
          if (remove.run([content]).changes === 0) continue;
          released.contents += 1;
          released.bytes += bytes;
          shrink.run([project, bytes]);
        }
        removeHolder.run([holder]);
        return released;
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

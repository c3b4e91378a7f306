/**
 * The five SQLite files as commit 0ffa9b2 wrote them, with a row or two in each: its CREATE statements, word for word.
 * Only `events.sqlite` carried a schema version then.
 */
import { join } from 'node:path';
import Database from 'libsql';
import type { Delivery } from '../../../src/domain/messages/delivery.js';
import type { Message } from '../../../src/domain/messages/message.js';
import type { ProjectionSpec } from '../../../src/domain/projection.js';

export const at = '2026-01-01T00:00:00.000Z';
export const position = '00000000000000000001';
export const stream = 'run-team_1.run_1';
export const eventId = '01978f6e-0000-7000-8000-000000000001';
export const document = { _id: 'run_1', position, project_id: 'project_1', name: 'Nightly' };

/** A projection with one collection, prepared as build 1. */
export const runsSpec: ProjectionSpec = {
  name: 'runs',
  version: 3,
  collections: [{ name: 'runs', indexes: [['project_id', 'name']], totals: [['project_id']] }],
};

export const message: Message = {
  place: `${position}#0`,
  event_id: 'event_1',
  type: 'run.completed',
  team_id: 'team_1',
  subject: 'run_1',
  at,
  targets: ['webhook_1'],
};

export const delivery: Delivery = {
  id: 'delivery_1',
  webhook_id: 'webhook_1',
  team_id: 'team_1',
  event_id: 'event_1',
  type: 'run.completed',
  subject: 'run_1',
  place: `${position}#0`,
  created_at: at,
  asked: false,
  state: 'pending',
  attempts: [],
  tries: 0,
  next_attempt_at: at,
  scheduled_at: null,
  earliest_at: null,
};

/** Writes the files into an empty folder. */
export function writeUnversionedFiles(folder: string): void {
  for (const [name, sql] of Object.entries(files)) {
    const database = new Database(join(folder, name));
    database.exec('PRAGMA journal_mode = WAL');
    database.exec(sql);
    database.close();
  }
}

const json = (value: unknown): string => `'${JSON.stringify(value)}'`;

const views = `
  CREATE TABLE IF NOT EXISTS builds (
    projection TEXT NOT NULL,
    build INTEGER NOT NULL,
    version INTEGER NOT NULL,
    position TEXT NOT NULL,
    epoch INTEGER NOT NULL,
    live INTEGER NOT NULL,
    collections TEXT NOT NULL,
    PRIMARY KEY (projection, build)
  ) WITHOUT ROWID;
  CREATE UNIQUE INDEX IF NOT EXISTS one_live_build ON builds (projection) WHERE live = 1;
  CREATE TABLE "runs.1#totals" (
       collection TEXT NOT NULL, fields TEXT NOT NULL, vals TEXT NOT NULL, n INTEGER NOT NULL,
       PRIMARY KEY (collection, fields, vals)
     ) WITHOUT ROWID;
  CREATE TABLE "runs.1.runs" (_id TEXT PRIMARY KEY NOT NULL, "name" NOT NULL, "project_id" NOT NULL, _doc TEXT NOT NULL);
  CREATE INDEX "runs.1.runs(project_id,name)" ON "runs.1.runs" ("project_id", "name", "_id");
  INSERT INTO builds VALUES ('runs', 1, 3, '${position}', 1, 1,
    '[{"name":"runs","indexes":[["project_id","name"]],"totals":[["project_id"]]}]');
  INSERT INTO "runs.1.runs" VALUES ('run_1', 'Nightly', 'project_1', ${json(document)});
  INSERT INTO "runs.1#totals" VALUES ('runs', 'project_id', '["project_1"]', 1);
`;

const files = {
  'events.sqlite': `
  BEGIN IMMEDIATE;
  CREATE TABLE teams (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE
  ) STRICT;
  CREATE TABLE events (
    position INTEGER PRIMARY KEY,
    category TEXT NOT NULL,
    team INTEGER NOT NULL REFERENCES teams (id),
    stream TEXT NOT NULL,
    revision INTEGER NOT NULL,
    id TEXT NOT NULL,
    type TEXT NOT NULL,
    version INTEGER NOT NULL,
    meta TEXT NOT NULL,
    data TEXT NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX events_by_stream ON events (stream, revision);
  CREATE INDEX events_by_team ON events (team);
  CREATE INDEX events_by_rare_category ON events (category) WHERE category NOT IN ('result', 'items');
  PRAGMA user_version = 1;
  COMMIT;
  INSERT INTO teams VALUES (1, 'team_1');
  INSERT INTO events VALUES (1, 'run', 1, '${stream}', 0, '${eventId}', 'RunCreated', 1,
    '{"at":"${at}","actor":"key_1"}', '{"name":"Nightly"}');
`,
  'state.sqlite': `
  CREATE TABLE IF NOT EXISTS entries (
    kind TEXT NOT NULL,
    key TEXT NOT NULL,
    value TEXT NOT NULL,
    version INTEGER NOT NULL,
    expires_at TEXT,
    PRIMARY KEY (kind, key)
  ) WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS entries_by_expiry ON entries (expires_at) WHERE expires_at IS NOT NULL;
  CREATE TABLE IF NOT EXISTS versions (one INTEGER PRIMARY KEY CHECK (one = 1), last INTEGER NOT NULL);
  INSERT OR IGNORE INTO versions VALUES (1, 0);
  CREATE TABLE IF NOT EXISTS deliveries (
    id TEXT PRIMARY KEY,
    webhook_id TEXT NOT NULL,
    team_id TEXT NOT NULL,
    event_id TEXT NOT NULL,
    type TEXT NOT NULL,
    subject TEXT NOT NULL,
    place TEXT NOT NULL,
    created_at TEXT NOT NULL,
    asked INTEGER NOT NULL,
    state TEXT NOT NULL,
    attempts TEXT NOT NULL,
    tries INTEGER NOT NULL,
    next_attempt_at TEXT,
    scheduled_at TEXT,
    earliest_at TEXT,
    body TEXT,
    finished_at TEXT,
    version INTEGER NOT NULL
  );
  CREATE INDEX IF NOT EXISTS deliveries_due
    ON deliveries (webhook_id, next_attempt_at, place) WHERE next_attempt_at IS NOT NULL;
  CREATE INDEX IF NOT EXISTS deliveries_pending
    ON deliveries (webhook_id, subject, place, next_attempt_at) WHERE state = 'pending';
  CREATE INDEX IF NOT EXISTS deliveries_aside
    ON deliveries (webhook_id, subject) WHERE state = 'pending' AND next_attempt_at IS NULL;
  CREATE INDEX IF NOT EXISTS deliveries_by_place ON deliveries (webhook_id, place);
  CREATE INDEX IF NOT EXISTS deliveries_by_state ON deliveries (webhook_id, state, place);
  CREATE INDEX IF NOT EXISTS deliveries_finished ON deliveries (finished_at) WHERE state <> 'pending';
  CREATE TABLE IF NOT EXISTS delivery_counts (
    webhook_id TEXT NOT NULL,
    state TEXT NOT NULL,
    count INTEGER NOT NULL,
    PRIMARY KEY (webhook_id, state)
  ) WITHOUT ROWID;
  CREATE TRIGGER IF NOT EXISTS delivery_added AFTER INSERT ON deliveries BEGIN
    INSERT INTO delivery_counts VALUES (new.webhook_id, new.state, 1)
      ON CONFLICT DO UPDATE SET count = count + 1;
  END;
  CREATE TRIGGER IF NOT EXISTS delivery_removed AFTER DELETE ON deliveries BEGIN
    UPDATE delivery_counts SET count = count - 1 WHERE webhook_id = old.webhook_id AND state = old.state;
    DELETE FROM delivery_counts WHERE webhook_id = old.webhook_id AND state = old.state AND count = 0;
  END;
  CREATE TRIGGER IF NOT EXISTS delivery_changed AFTER UPDATE OF state ON deliveries
    WHEN old.state <> new.state BEGIN
    UPDATE delivery_counts SET count = count - 1 WHERE webhook_id = old.webhook_id AND state = old.state;
    DELETE FROM delivery_counts WHERE webhook_id = old.webhook_id AND state = old.state AND count = 0;
    INSERT INTO delivery_counts VALUES (new.webhook_id, new.state, 1)
      ON CONFLICT DO UPDATE SET count = count + 1;
  END;
  UPDATE versions SET last = 7;
  INSERT INTO entries VALUES ('rebuild', 'runs', '{"asked":true}', 7, NULL);
  INSERT INTO deliveries VALUES ('delivery_1', 'webhook_1', 'team_1', 'event_1', 'run.completed', 'run_1',
    '${position}#0', '${at}', 0, 'pending', '[]', 0, '${at}', NULL, NULL, '{"n":1}', NULL, 1);
`,
  'views.sqlite': views,
  'publication.sqlite': views,
  'bus.sqlite': `
  CREATE TABLE IF NOT EXISTS messages (number INTEGER PRIMARY KEY AUTOINCREMENT, message TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS last (one INTEGER PRIMARY KEY CHECK (one = 1), place TEXT NOT NULL);
  INSERT INTO messages (message) VALUES (${json(message)});
  INSERT OR REPLACE INTO last (one, place) VALUES (1, '${message.place}');
`,
};

/** The reference of bulk submissions: the same events into a table like the log's, one commit a submission. */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { logFile, prepareLogFile } from '../../src/adapters/sqlite/log/file.js';
import { openDatabase } from '../../src/adapters/sqlite/database.js';
import { newIds } from '../../src/commands/ids.js';
import { OPERATOR_TEAM } from '../../src/commands/teams.js';
import { streamName } from '../../src/domain/event.js';
import { answerRequests } from '../processes/child.js';
import { context, recordable } from '../test-data/seed.js';
import { resultSubmitted } from '../test-data/test-results.js';

/** The number of submissions, and of results in each. They run one after the other. */
export type BareBulk = { folder: string; submissions: number; results: number };

type Row = { id: string; meta: string; data: string };

/** Returns results a second. The events are made and written as JSON before the clock starts. */
answerRequests(async ({ folder, submissions, results }: BareBulk): Promise<number> => {
  const file = logFile(join(folder, randomUUID()));
  prepareLogFile(file);
  const database = openDatabase(file, { synchronous: 'FULL', busyTimeoutMs: 5_000 });
  database.prepare('INSERT INTO teams (id, name) VALUES (1, ?)').run([OPERATOR_TEAM]);
  const insert = database.prepare(
    `INSERT INTO events (category, team, stream, revision, id, type, version, meta, data)
     VALUES ('items', 1, ?, ?, ?, 'ResultSubmitted', 1, ?, ?)`,
  );
  const [begin, commit] = [database.prepare('BEGIN IMMEDIATE'), database.prepare('COMMIT')];
  let took = 0;
  for (let n = 0; n < submissions; n += 1) {
    const run_id = newIds.created('run');
    const stream = streamName('items', OPERATOR_TEAM, run_id);
    const rows = rowsOf(run_id, results);
    const began = performance.now();
    begin.run();
    rows.forEach(({ id, meta, data }, revision) => insert.run([stream, revision, id, meta, data]));
    commit.run();
    took += performance.now() - began;
  }
  database.close();
  return (submissions * results) / (took / 1_000);
});

function rowsOf(run_id: string, results: number): Row[] {
  const { at } = context();
  return Array.from({ length: results }, (_, ordinal) => {
    const data = resultSubmitted(ordinal, {
      run_id,
      project_id: 'project_00000000000000000000000000',
      ordinal,
    });
    const event = recordable({ type: 'ResultSubmitted', data });
    return { id: event.id, meta: JSON.stringify({ ...event.meta, at }), data: JSON.stringify(data) };
  });
}

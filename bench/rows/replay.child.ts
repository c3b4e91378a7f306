/** The bare reference of the replay, and its clients. */
import { Agent, request, type IncomingMessage } from 'node:http';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { closeAsOneFile, openDatabase } from '../../src/adapters/sqlite/database.js';
import { openSqliteLog } from '../../src/adapters/sqlite/log/log.js';
import { START } from '../../src/domain/event.js';
import { chunkedLog } from '../../src/log/chunked-log.js';
import { openFeed } from '../../src/log/feed.js';
import { answerRequests } from '../processes/child.js';

export type ReplayRequest =
  | { bare: { folder: string } }
  | { lines: { url: string; key: string } }
  | { follow: { url: string; key: string; after: string; readers: number } };

/** Events a second for `bare` and `lines`. For `follow` 0, when all are connected; they stay connected. */
answerRequests(async (asked: ReplayRequest): Promise<number> => {
  if ('bare' in asked) {
    const { folder } = asked.bare;
    if (!copies.has(folder)) copies.set(folder, await copyOf(folder));
    return bare(copies.get(folder)!);
  }
  if ('lines' in asked) return lines(asked.lines);
  return follow(asked.follow);
});

/** By the folder of a log: the file with its events. */
const copies = new Map<string, string>();

/** Writes every event of a log into a plain table, one whole row each, and returns the file. */
async function copyOf(folder: string): Promise<string> {
  const file = join(folder, 'replay-reference.db');
  rmSync(file, { force: true });
  const log = chunkedLog(await openSqliteLog({ folder, mode: 'reader' }));
  const database = openDatabase(file, { synchronous: 'NORMAL', busyTimeoutMs: 1_000 });
  database.exec(
    `CREATE TABLE events (position INTEGER PRIMARY KEY, stream TEXT, revision INTEGER, id TEXT, type TEXT,
     version INTEGER, meta TEXT, data TEXT) STRICT`,
  );
  const insert = database.prepare('INSERT INTO events VALUES (?, ?, ?, ?, ?, ?, ?, ?)');
  const feed = openFeed(log);
  let number = 0;
  for (let after = START, caughtUp = false; !caughtUp;) {
    const batch = await feed.read({ after, limit: 1_000 });
    database.exec('BEGIN');
    for (const { stream, revision, id, type, version, meta, data } of batch.events) {
      const texts = [JSON.stringify(meta), JSON.stringify(data)];
      insert.run([(number += 1), stream, revision, id, type, version, ...texts]);
    }
    database.exec('COMMIT');
    ({ position: after, caughtUp } = batch);
  }
  closeAsOneFile(database);
  await log.close();
  return file;
}

type Row = [number, string, number, string, string, number, string, string];

/** Reads every row of the file, page by page, as a line of JSON. */
function bare(file: string): number {
  const database = openDatabase(file, { readonly: true, synchronous: 'FULL', busyTimeoutMs: 1_000 });
  const page = database
    .prepare(
      `SELECT position, stream, revision, id, type, version, meta, data FROM events
       WHERE position > ? ORDER BY position LIMIT 1000`,
    )
    .raw();
  const began = performance.now();
  let count = 0;
  let bytes = 0;
  for (let after = 0; ;) {
    const rows = page.all(after) as Row[];
    if (rows.length === 0) break;
    const text = rows.map(([position, stream, revision, id, type, version, meta, data]) =>
      JSON.stringify({
        position,
        stream,
        revision,
        id,
        type,
        version,
        meta: JSON.parse(meta) as unknown,
        data: JSON.parse(data) as unknown,
      }),
    );
    bytes += Buffer.from(text.join('\n')).length;
    count += rows.length;
    after = rows.at(-1)![0];
  }
  const took = (performance.now() - began) / 1_000;
  database.close();
  if (bytes === 0) throw new Error(`there is nothing in ${file}`);
  return count / took;
}

async function lines({ url, key }: { url: string; key: string }): Promise<number> {
  const began = performance.now();
  const response = await opened(url, key, 'application/x-ndjson');
  let count = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, at + 1)) count += 1;
  }
  return count / ((performance.now() - began) / 1_000);
}

async function follow({ url, key, after, readers }: Extract<ReplayRequest, { follow: unknown }>['follow']) {
  const agent = new Agent({ maxSockets: Infinity });
  for (let n = 0; n < readers; n += 1) {
    const response = await opened(`${url}?after=${after}`, key, 'text/event-stream', agent);
    response.on('data', () => undefined);
    response.on('error', () => undefined);
  }
  return 0;
}

async function opened(url: string, key: string, accept: string, agent?: Agent): Promise<IncomingMessage> {
  const sent = request(url, { headers: { authorization: key, accept }, ...(agent && { agent }) }).end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  if (response.statusCode !== 200) throw new Error(`${url}: ${response.statusCode}`);
  return response;
}

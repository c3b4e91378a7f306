/** The bytes that a purged run or project has beside its events: contents, files of artifacts, and shares. */
import { setImmediate as turn } from 'node:timers/promises';
import { parseStreamName, START, type Position, type RecordedEvent } from '../domain/event.js';
import { isOf } from '../domain/redaction/purged.js';
import { teamStreams } from '../domain/teams/team-streams.js';
import type { Blobs } from '../ports/blobs.js';
import type { Contents } from '../ports/contents.js';
import type { EventLog } from '../ports/event-log.js';

export type PurgedStores = {
  storedLog: Pick<EventLog, 'readAll'>;
  contents: Pick<Contents, 'release'>;
  blobs: Pick<Blobs, 'clear'>;
};

const EVENTS = 1_000;

/** Returns the position of its first event; null where the log has none. The events themselves name what it holds. */
export async function releasePurged(
  { storedLog, contents, blobs }: PurgedStores,
  { team, purged }: { team: string; purged: ReadonlySet<string> },
  ended: AbortSignal,
): Promise<Position | null> {
  const released = new Set<string>();
  let first: Position | null = null;
  for (let after = START; !ended.aborted;) {
    const batch = await storedLog.readAll({ after, limit: EVENTS, filter: { streams: teamStreams(team) } });
    for (const event of batch.events) {
      if (!isOf(event.data as Ids, purged)) continue;
      first ??= event.position;
      for (const holder of holdersIn(event)) {
        if (released.has(holder)) continue;
        await contents.release(holder);
        released.add(holder);
      }
      const { artifact_id: artifact } = event.data as Ids;
      if (event.type === 'ArtifactCreated') await blobs.clear({ team, artifact: artifact! }, null);
    }
    after = batch.position;
    if (batch.caughtUp) break;
    await turn();
  }
  return first;
}

type Ids = { run_id?: string | null; result_id?: string; artifact_id?: string; project_id?: string };

/** Who may hold contents (docs/decisions/041). */
function holdersIn({ stream, data }: RecordedEvent): string[] {
  const { run_id = null, result_id } = data as Ids;
  const { category, id } = parseStreamName(stream);
  const submission = category === 'items' ? [id] : [];
  return [...submission, ...(run_id !== null ? [run_id] : result_id === undefined ? [] : [result_id])];
}

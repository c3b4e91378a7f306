/** What a path names, as its streams say it: since when it is there, and in which project. */
import { mustSee } from '../../domain/teams/access.js';
import { streamName, type Position, type RecordedEvent, type StreamName } from '../../domain/event.js';
import { isId } from '../../domain/ids.js';
import { notFound } from '../../domain/life.js';
import { isPurged } from '../../domain/redaction/purged.js';
import { readBulkBeginning } from '../../log/streams.js';
import type { EventLog } from '../../ports/event-log.js';
import type { Call } from '../route.js';
import type { Sources } from '../sources.js';
import type { SubjectKind } from './subject-kind.js';

export type Subject = { project: string; since: Position };

/** As the reader may see it now, also where it is deleted. @throws AppError `not_found` */
export async function subjectOf(
  { storedLog, tests }: Pick<Sources, 'storedLog' | 'tests'>,
  { key, params }: Pick<Call, 'key' | 'params'>,
  kind: SubjectKind,
): Promise<Subject> {
  const { team_id: team } = key;
  if (kind === 'test') {
    const { id, test } = params as { id?: string; test: string };
    if (id !== undefined) await tests.mustExist(key, id, test);
    const project = id ?? (await tests.projectOf(key, test));
    return begun(storedLog, streamName('project', team, project), kind);
  }
  const id = params['id']!;
  if (!isId(kind, id)) notFound(kind);
  const subject = await begun(storedLog, streamName(kind, team, id), kind);
  mustSee(key, subject.project, kind);
  return subject;
}

async function begun(log: EventLog, stream: StreamName, kind: SubjectKind): Promise<Subject> {
  const item = await readBulkBeginning(log, stream);
  if (item !== null) return { project: projectOf(item.origin, kind), since: item.since };
  const [first] = (await log.readStream(stream, { limit: 1 })).events;
  // The stream of an item has later events of it only.
  if (first === undefined) return notFound(kind);
  return { project: projectOf(first, kind), since: first.position };
}

function projectOf(event: RecordedEvent, kind: SubjectKind): string {
  if (isPurged(event)) notFound(kind);
  return (event.data as { project_id: string }).project_id;
}

/**
 * A snapshot of the valid keys and the members in State, with the position up to which the log was read. A start reads the log from
 * there, because a log on a server is read from its first event to find the few events of teams. The log stays the only
 * source of truth: a snapshot that does not fit the log is left out.
 */
import { randomUUID } from 'node:crypto';
import { addMilliseconds } from '../clock.js';
import type { Instant, Position } from '../domain/event.js';
import { isAppError } from '../errors.js';
import type { EventLog } from '../ports/event-log.js';
import type { State } from '../ports/state.js';
import type { KeyIndexContent } from './key-index.js';

export type KeySnapshot = { position: Position; content: KeyIndexContent };

/**
 * The form of the stored content. A snapshot of another form is left out, and the log is read from its first event.
 */
const FORMAT = 3;

/** `event_id`: the event at the position. A log that was restored from a backup has another one there, or none. */
type Manifest = {
  format: typeof FORMAT;
  at: Instant;
  position: Position;
  event_id: string;
  chunks: readonly string[];
};

const KIND = 'api-keys';
const MANIFEST = 'snapshot';
/** Entries of a chunk: about 500 kB. */
const CHUNK = 2_000;
/** Chunks whose writer died before their manifest expire. */
const KEPT_MS = 30 * 86_400_000;

type Stores = { state: State; log: Pick<EventLog, 'readAll'> };

/** The newest snapshot; null if there is none that fits the log. @throws AppError `state_unavailable`, `log_unavailable` */
export async function readKeySnapshot({ state, log }: Stores): Promise<KeySnapshot | null> {
  const manifest = (await state.get<Manifest>(KIND, MANIFEST))?.value ?? null;
  if (manifest === null || manifest.format !== FORMAT) return null;
  const { position, event_id, chunks } = manifest;
  if ((await eventAt(log, position)) !== event_id) return null;
  const content = {
    teams: [] as KeyIndexContent['teams'][number][],
    keys: [] as KeyIndexContent['keys'][number][],
    persons: [] as KeyIndexContent['persons'][number][],
  };
  for (const name of chunks) {
    const chunk = (await state.get<KeyIndexContent>(KIND, name))?.value;
    // Another process has replaced the snapshot meanwhile.
    if (chunk === undefined) return null;
    for (const each of chunk.teams) content.teams.push(each);
    for (const each of chunk.keys) content.keys.push(each);
    for (const each of chunk.persons) content.persons.push(each);
  }
  return { position, content };
}

/**
 * Replaces the snapshot, unless another process has done so in the last `every` milliseconds, or does so right now.
 * @throws AppError `state_unavailable`, `log_unavailable`
 */
export async function writeKeySnapshot(
  { state, log }: Stores,
  { position, content }: KeySnapshot,
  { now, every }: { now: Instant; every: number },
): Promise<void> {
  const former = await state.get<Manifest>(KIND, MANIFEST);
  if (former !== null && addMilliseconds(former.value.at, every) > now) return;
  const event_id = await eventAt(log, position);
  if (event_id === null) return;
  const expiresAt = addMilliseconds(now, KEPT_MS);
  const generation = randomUUID();
  const chunks: string[] = [];
  const most = Math.max(content.teams.length, content.keys.length, content.persons.length);
  for (let from = 0; from < most; from += CHUNK) {
    const name = `${generation}/${chunks.length}`;
    const chunk: KeyIndexContent = {
      teams: content.teams.slice(from, from + CHUNK),
      keys: content.keys.slice(from, from + CHUNK),
      persons: content.persons.slice(from, from + CHUNK),
    };
    await state.put(KIND, name, chunk, { expected: 'absent', expiresAt });
    chunks.push(name);
  }
  const manifest: Manifest = { format: FORMAT, at: now, position, event_id, chunks };
  const expected = former?.version ?? 'absent';
  const isOurs = (await state.put(KIND, MANIFEST, manifest, { expected, expiresAt })) !== null;
  for (const name of isOurs ? (former?.value.chunks ?? []) : chunks) await state.remove(KIND, name, 'any');
}

/** The id of the event at a position; null if the log has none there. */
async function eventAt(log: Pick<EventLog, 'readAll'>, position: Position): Promise<string | null> {
  try {
    const [event] = (await log.readAll({ after: position, inclusive: true, limit: 1 })).events;
    return event?.position === position ? event.id : null;
  } catch (error) {
    if (isAppError(error, 'not_a_position')) return null;
    throw error;
  }
}

/** Appends the items of a submission to a stream of their own. No reader looks at it until the run names the submission. */
import {
  streamName,
  type EventMeta,
  type KeptBy,
  type NewEvent,
  type StreamName,
} from '../../domain/event.js';
import { CHUNK_TYPE, CHUNK_VERSION, chunkEventId } from '../../domain/runs/item-chunk.js';
import type { BeginningFacts } from '../../domain/test-history/result-facts.js';
import { isAppError } from '../../errors.js';
import { streamPages } from '../../log/streams.js';
import type { CommandContext } from '../command-context.js';
import type { EventLog } from '../../ports/event-log.js';
import type { PackedChunk, BulkOrigin, Submission } from './submission.js';

/**
 * Appends the items of a submission in chunks, and returns the number of items. Every try of one request cuts them alike, so
 * the log answers an append of an earlier try as it did the first time. An update of the program may cut them otherwise: then
 * the log refuses the append, and only the items that are not there yet are appended.
 */
export async function appendItems(
  log: Pick<EventLog, 'append' | 'readStream' | 'limits'>,
  { team, at, actor, correlationId }: CommandContext,
  submission: Submission,
  origin: BulkOrigin,
): Promise<number> {
  const stream = streamName('items', team, origin.submission_id);
  const meta: EventMeta = {
    team_id: team,
    actor,
    at,
    correlation_id: correlationId,
    causation_id: null,
    ...factsOf(submission, origin),
  };
  const by = { holder: origin.submission_id, project: origin.project_id };
  let stored: Stored = { chunks: 0, items: 0 };
  while (stored.items < submission.count) {
    try {
      for await (const chunks of submission.appends(origin, log.limits, stored.items)) {
        const events = chunks.map((chunk) => eventOf(stream, chunk, meta, by));
        await log.append(stream, stored.chunks === 0 ? 'none' : stored.chunks - 1, events);
        const { first, count } = chunks.at(-1)!;
        stored = { chunks: stored.chunks + chunks.length, items: first + count };
      }
    } catch (error) {
      if (!isAppError(error, 'wrong_revision')) throw error;
      const found = await readStored(log, stream);
      if (found.items <= stored.items) throw error;
      stored = found;
    }
  }
  return stored.items;
}

function factsOf({ shard }: Submission, { environment }: BulkOrigin): Pick<EventMeta, 'facts'> {
  const facts: BeginningFacts = {};
  if (shard !== null) facts.shard_attempt = shard.attempt;
  if (environment !== '') facts.environment = environment;
  return Object.keys(facts).length > 0 ? { facts } : {};
}

function eventOf(stream: StreamName, chunk: PackedChunk, meta: EventMeta, by: KeptBy): NewEvent {
  const { json, contents: kept } = chunk;
  const id = chunkEventId(stream, chunk);
  const event = { id, type: CHUNK_TYPE, version: CHUNK_VERSION, data: null, meta, json };
  return kept.length === 0 ? event : { ...event, contents: { ...by, kept } };
}

type Stored = { chunks: number; items: number };

/** What a stream of items has. Each of its pages has the items of one chunk. */
async function readStored(log: Pick<EventLog, 'readStream'>, stream: StreamName): Promise<Stored> {
  let chunks = 0;
  let items = 0;
  for await (const events of streamPages(log, stream)) {
    chunks += 1;
    items = events.at(-1)!.revision + 1;
  }
  return { chunks, items };
}

/**
 * What the attempts of a shard say of one of its results, where the result's own events cannot say it: they were written
 * before the other attempt came. To have several attempts is rare, and so is this search.
 */
import type { EventData } from '../domain/events.js';
import { streamName, type StreamName } from '../domain/event.js';
import { bulkOriginOf } from '../domain/ids.js';
import { result, type PresentResult } from '../domain/results/result.js';
import { attemptsOf } from '../domain/runs/run-calls.js';
import { run } from '../domain/runs/run.js';
import { readBulkOrigin, streamPages, type StreamReader } from '../log/streams.js';
import type { CommandHandler } from './command-handler.js';

/** The results of lower attempts that came later than the result, and that it replaces. */
export async function replacedLater(
  commands: CommandHandler,
  log: StreamReader,
  team: string,
  own: PresentResult,
): Promise<string[]> {
  const replaced: string[] = [];
  const isLowerAndLater = (other: Place, place: Place) =>
    other.attempt < place.attempt && other.order > place.order;
  for (const items of await otherAttempts(commands, team, own, isLowerAndLater)) {
    for await (const { result_id, replaced_by } of itemsIn(log, items)) {
      if (replaced_by?.includes(own.test_result_id) === true) replaced.push(result_id);
    }
  }
  return replaced;
}

/** A result of a higher attempt that replaces the result; null if none does. */
export async function replacementOf(
  commands: CommandHandler,
  log: StreamReader,
  team: string,
  own: PresentResult,
): Promise<string | null> {
  const isThere = async (id: string) =>
    (await commands.load(result, streamName('result', team, id))).life === 'present';
  const origin = await readBulkOrigin(log, streamName('result', team, own.test_result_id));
  for (const id of (origin?.data as EventData['ResultSubmitted'] | undefined)?.replaced_by ?? []) {
    if (await isThere(id)) return id;
  }
  const isHigherAndLater = (other: Place, place: Place) =>
    other.attempt > place.attempt && other.order > place.order;
  const replaces = async (item: EventData['ResultSubmitted']) =>
    item.replaces?.includes(own.test_result_id) === true && (await isThere(item.result_id));
  for (const items of await otherAttempts(commands, team, own, isHigherAndLater)) {
    // A shard that runs again has mostly the same tests in the same order, so this one item is mostly enough.
    const { events } = await log.readStream(items, { from: origin!.revision, limit: 1 });
    const sameOrdinal = events[0]?.data as EventData['ResultSubmitted'] | undefined;
    if (sameOrdinal !== undefined && (await replaces(sameOrdinal))) return sameOrdinal.result_id;
    for await (const item of itemsIn(log, items)) if (await replaces(item)) return item.result_id;
  }
  return null;
}

/** An attempt of a shard: `order` is its place in the order in which they came. */
type Place = { attempt: number; order: number };

/** The streams of the items of those other attempts of the result's shard that are wanted. */
async function otherAttempts(
  commands: CommandHandler,
  team: string,
  { test_result_id, test_run_id }: PresentResult,
  isWanted: (other: Place, own: Place) => boolean,
): Promise<StreamName[]> {
  const origin = bulkOriginOf(test_result_id);
  if (origin === null || test_run_id === null) return [];
  const within = await commands.load(run, streamName('run', team, test_run_id));
  if (within.life !== 'present') return [];
  const isOwn = ({ submission_id }: { submission_id: string }) => submission_id === origin.submission_id;
  const call = within.calls.shards?.received.find(isOwn);
  if (call === undefined) return [];
  const attempts = attemptsOf(within.calls, call.index).map((each, order) => ({ ...each, order }));
  const own = attempts.find(isOwn)!;
  return attempts
    .filter((each) => isWanted(each, own))
    .map(({ submission_id }) => streamName('items', team, submission_id));
}

async function* itemsIn(
  log: StreamReader,
  items: StreamName,
): AsyncGenerator<EventData['ResultSubmitted'], void> {
  for await (const events of streamPages(log, items)) {
    for (const { data } of events) yield data as EventData['ResultSubmitted'];
  }
}

/** The items of a submission, packed for their chunks, and what they say together. */
import type { EnvironmentKey } from '../../domain/environment.js';
import type { Instant } from '../../domain/event.js';
import { eventVersions } from '../../domain/events.js';
import type { ItemChunk } from '../../domain/runs/item-chunk.js';
import { statusWords } from '../../domain/results/result.js';
import type { AppendLimits } from '../../ports/event-log.js';
import { columnsOf } from './item-columns.js';
import { linesOf, noteOwnEnvironment, type OwnEnvironments } from './item-lines.js';
import { packChunks, type Packing } from './packed-chunks.js';
import { openReplacing, replacesNothing, type Replacing } from '../replacing.js';
import type { BulkOrigin, ItemCounts, PackedChunk, SubmittedItem } from './submission.js';
import { superseding, type Superseding } from '../superseding.js';

/**
 * Items packed as the columns of their chunks, as JSON. As objects, the items of two submissions of 50,000 would fill the
 * memory of a small server.
 */
export type PackedItems = {
  add(item: SubmittedItem): void;
  readonly count: number;
  readonly counts: ItemCounts;
  readonly earliest: Instant | null;
  /**
   * The item that supersedes the most others, and their number. Null if no item supersedes another. As if all were of one
   * environment: they supersede no more than that.
   */
  mostSuperseding(): { ordinal: number; count: number } | null;
  readonly duration_ms: number;
  /** Begins to relate the items to those of other attempts of the shard. */
  relate(shardAttempt: number, environment: EnvironmentKey): ReturnType<typeof openReplacing>;
  /** As `Submission.appends`. */
  appends(
    origin: BulkOrigin,
    limits: AppendLimits,
    from?: number,
    replacing?: Replacing,
  ): Generator<PackedChunk[], void>;
  /** Gives their memory back, once no append is asked for any more. */
  free(): void;
};

export function packItems(packing: Packing): PackedItems {
  const chunks = packChunks(packing);
  const names: string[] = [];
  const attempts: number[] = [];
  const owns: OwnEnvironments = new Map();
  const counts: ItemCounts = { pending: 0, running: 0, passed: 0, failed: 0, skipped: 0, known_fail: 0 };
  let earliest: Instant | null = null;
  let duration_ms = 0;
  let known: Superseding | null = null;
  /** Call it when all items are added. */
  const supersedingNames = (): Superseding => (known ??= superseding(names, attempts));

  return {
    counts,
    add(item) {
      const { test_name, attempt, status, metadata, started_at, execution_time_ms } = item;
      chunks.add(item);
      counts[statusWords[status]] += 1;
      noteOwnEnvironment(owns, names.length, metadata);
      names.push(test_name);
      attempts.push(attempt);
      duration_ms += execution_time_ms ?? 0;
      if (started_at !== null && (earliest === null || started_at < earliest)) earliest = started_at;
    },
    get count() {
      return names.length;
    },
    get earliest() {
      return earliest;
    },
    get duration_ms() {
      return duration_ms;
    },
    free: chunks.free,
    relate: (shardAttempt, environment) =>
      openReplacing(linesOf(names, owns, environment), attempts, shardAttempt),
    mostSuperseding() {
      let most: { ordinal: number; count: number } | null = null;
      for (const [ordinal, { length: count }] of supersedingNames().of)
        if (count > (most?.count ?? 0)) most = { ordinal, count };
      return most;
    },
    *appends(origin, limits, from = 0, replacing = replacesNothing) {
      chunks.end();
      yield* inAppends(limits, packedChunks(origin, from, replacing));
    },
  };

  function* packedChunks(
    origin: BulkOrigin,
    from: number,
    replacing: Replacing,
  ): Generator<PackedChunk, void> {
    const ofRun = fieldsOfRun(origin);
    const lines = linesOf(names, owns, origin.environment);
    const superseded = lines === names ? supersedingNames() : superseding(lines, attempts);
    const relating = { lines, replacing, ...superseded };
    for (const [n, begin] of chunks.firsts.entries()) {
      const end = chunks.firsts[n + 1] ?? names.length;
      if (end <= from) continue;
      const contents = chunks.contents(n);
      for (const { first, count, related } of relatedParts(Math.max(begin, from), end, relating)) {
        const isWhole = count === end - begin;
        const own = isWhole ? chunks.columns(n) : columnsOf(chunks.columns(n), first - begin, count);
        const json = `${ofRun},"first":${first},"count":${count},${own}${related}}`;
        yield { first, count, json, contents };
      }
    }
  }
}

/** The begin of a chunk. */
function fieldsOfRun({ run_id, project_id, finished_at, branch, commit }: BulkOrigin): string {
  return JSON.stringify({
    item_version: eventVersions.ResultSubmitted,
    run_id,
    project_id,
    run_branch: branch,
    run_commit: commit,
    run_finished_at: finished_at,
  }).slice(0, -1);
}

function* inAppends(limits: AppendLimits, chunks: Iterable<PackedChunk>): Generator<PackedChunk[], void> {
  let append: PackedChunk[] = [];
  let bytes = 0;
  for (const chunk of chunks) {
    const size = sizeOf(chunk);
    if (append.length > 0 && (append.length === limits.events || bytes + size > limits.bytes)) {
      yield append;
      append = [];
      bytes = 0;
    }
    append.push(chunk);
    bytes += size;
  }
  if (append.length > 0) yield append;
}

function sizeOf({ json, contents }: PackedChunk): number {
  return contents.reduce((sum, { text }) => sum + Buffer.byteLength(text), Buffer.byteLength(json));
}

type Relating = Superseding & { lines: readonly string[]; replacing: Replacing };

/** Of one chunk: an item may replace a thousand others, and EventStoreDB takes no event of more than 1 MiB. */
const MOST_RELATED = 128 * 1024;

/** The items of a chunk in as many parts as their relations need, which is nearly always one. */
function* relatedParts(
  first: number,
  end: number,
  relating: Relating,
): Generator<{ first: number; count: number; related: string }> {
  const related = relations(first, end, relating);
  const count = end - first;
  if (related.length <= MOST_RELATED || count === 1) return yield { first, count, related };
  const middle = first + Math.ceil(count / 2);
  yield* relatedParts(first, middle, relating);
  yield* relatedParts(middle, end, relating);
}

/** The fields of a chunk for the items that supersede or replace others, or that others supersede or replace. */
function relations(first: number, end: number, { lines, replacing, by, of }: Relating): string {
  if (by.size === 0 && replacing === replacesNothing) return '';
  const related: Required<Pick<ItemChunk, 'superseded_by' | 'supersedes' | 'replaces' | 'replaced_by'>> = {
    superseded_by: {},
    supersedes: {},
    replaces: {},
    replaced_by: {},
  };
  const note = <T>(field: Readonly<Record<string, T>>, ordinal: number, value: T | undefined) => {
    const isEmpty = value === undefined || (Array.isArray(value) && value.length === 0);
    if (!isEmpty) (field as Record<string, T>)[ordinal] = value;
  };
  for (let ordinal = first; ordinal < end; ordinal += 1) {
    note(related.superseded_by, ordinal, by.get(ordinal));
    note(related.supersedes, ordinal, of.get(ordinal));
    note(related.replaces, ordinal, replacing.of(ordinal));
    note(related.replaced_by, ordinal, replacing.by(lines[ordinal]!));
  }
  return Object.entries(related)
    .filter(([, field]) => Object.keys(field).length > 0)
    .map(([name, field]) => `,"${name}":${JSON.stringify(field)}`)
    .join('');
}

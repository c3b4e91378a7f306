/** Hands the events of the feed over, one after the other, and keeps the position. */
import { setTimeout as pause } from 'node:timers/promises';
import pRetry, { AbortError } from 'p-retry';
import type { Event as FeedEvent } from './api.generated.js';
import type { Caller } from './call.js';
import { TestledgerError } from './errors.js';
import { readFeed, type ReadEvents, type Reading } from './event-stream.js';
import type { PositionStore } from './positions.js';

export type Consuming = {
  /** Called for one event at a time. If it throws, the consumer ends with that, and the event comes again next time. */
  onEvent(event: FeedEvent): Promise<void> | void;
  /** `positionFile` is one. Without it, the consumer begins at `from` each time. */
  store?: PositionStore;
  /** The position to begin after, where the store has none. Without it, the consumer begins at the first event. */
  from?: string;
  types?: readonly string[];
  projectId?: string;
  /** False: ends at the present. Else new events are handed over as they come, until `signal`. */
  follow?: boolean;
  /** Ends the consumer after the event at hand. */
  signal?: AbortSignal;
  /**
   * Ends the consumer with the error where connections have brought nothing for this long. Without it, the consumer
   * connects again for as long as it takes.
   */
  giveUpAfterMs?: number;
  /** Called when the connection is lost, before the next one. Connections end when a server stops, too. */
  onDisconnect?(error: TestledgerError): void;
};

export type Consumed = { position: string | null; count: number };

/** The position is saved when the connection has nothing more, and else this often. */
const SAVE_EVERY_MS = 1_000;
const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;

/**
 * Each event is handed over once and in order. After a crash, those that were handed over after the last saved position
 * come again: at most those of a second. A lost connection is made again after the last event.
 * @throws TestledgerError where the server refuses the feed, or is away for `giveUpAfterMs`; what `onEvent` and the
 * store throw.
 */
export async function consumeEvents(caller: Caller, consuming: Consuming): Promise<Consumed> {
  const { store, from, follow = true, signal, types, projectId, giveUpAfterMs = Infinity } = consuming;
  const progress = openProgress(consuming, (await store?.load()) ?? from ?? null);
  const reading = (): Reading => ({ after: progress.position(), types, projectId, follow, signal });
  try {
    for (let isAtPresent = false; !isAtPresent && signal?.aborted !== true;) {
      isAtPresent = await pRetry(() => readOnce(caller, reading(), progress, consuming.onDisconnect), {
        retries: Infinity,
        minTimeout: FIRST_PAUSE_MS,
        maxTimeout: LONGEST_PAUSE_MS,
        randomize: true,
        ...(signal && { signal }),
        shouldRetry: ({ error }) => isPassing(error) && progress.lostForMs() < giveUpAfterMs,
      });
    }
  } catch (error) {
    // An end that was asked for is no fault.
    if (signal?.aborted !== true || error !== signal.reason) throw error;
  } finally {
    await progress.save();
  }
  return progress.consumed();
}

/** What stands between may end a connection after some time without an event. */
const HELD_MS = 1_000;

/**
 * Reads one connection to its end. Returns whether it ended at the present. A connection that brought an event, or that
 * held for a second, does not count as a failed attempt when it breaks: the next one follows at once.
 */
async function readOnce(
  caller: Caller,
  reading: Reading,
  progress: Progress,
  onDisconnect: Consuming['onDisconnect'],
): Promise<boolean> {
  const before = progress.consumed().count;
  let openedAt: number | null = null;
  const feed = readFeed(caller, { ...reading, onOpen: () => (openedAt = performance.now()) });
  try {
    for (;;) {
      const next = feed.next();
      await saveMeanwhile(next, progress);
      const { value, done } = await next;
      if (done === true) break;
      await progress.take(value).catch(abandon);
    }
    if (!reading.follow) return true;
    throw new TestledgerError('unreachable', 'The server ended the feed.');
  } catch (error) {
    if (!isPassing(error)) throw error;
    onDisconnect?.(error);
    const hasHeld = openedAt !== null && performance.now() - openedAt >= HELD_MS;
    if (hasHeld || progress.consumed().count > before) return false;
    throw error;
  } finally {
    await feed.return();
  }
}

/** A large read is mostly followed by another one. Where nothing follows for a while, its position is saved then. */
async function saveMeanwhile(next: Promise<unknown>, progress: Progress): Promise<void> {
  if (progress.isSaved()) return;
  const waiting = new AbortController();
  const late = pause(SAVE_EVERY_MS, true, { signal: waiting.signal }).catch(() => false);
  const came = () => false;
  const isLate = await Promise.race([late, next.then(came, came)]);
  waiting.abort();
  // A fault of the store comes again with the next save.
  if (isLate) await progress.save().catch(() => undefined);
}

/** The fault is that of the consumer or of its store. Another attempt must not hide it, whatever its type. */
function abandon(error: unknown): never {
  throw new AbortError(error instanceof Error ? error : String(error));
}

/** Whether a later attempt can succeed. */
function isPassing(error: unknown): error is TestledgerError {
  if (!(error instanceof TestledgerError)) return false;
  return error.status === null ? error.code !== 'invalid_call' : error.status === 429 || error.status >= 500;
}

type Progress = {
  position(): string | null;
  consumed(): Consumed;
  take(events: ReadEvents): Promise<void>;
  /** Called at each failure. Returns the time since the first one after the last read. */
  lostForMs(): number;
  isSaved(): boolean;
  /** Saves the position of the last event, if it is not saved yet. */
  save(): Promise<void>;
};

function openProgress({ onEvent, store, signal }: Consuming, start: string | null): Progress {
  let position = start;
  let saved = start;
  let savedAt = performance.now();
  let lostAt: number | null = null;
  let count = 0;
  const isSaved = () => position === saved || position === null;
  const save = async () => {
    if (isSaved() || position === null) return;
    const saving = position;
    await store?.save(saving);
    saved = saving;
    savedAt = performance.now();
  };
  return {
    position: () => position,
    consumed: () => ({ position, count }),
    isSaved,
    save,
    lostForMs: () => performance.now() - (lostAt ??= performance.now()),
    async take({ events, isSmall }) {
      lostAt = null;
      for (const event of events) {
        if (signal?.aborted === true) return;
        // Whatever stands between may send something twice.
        if (position !== null && event.position <= position) continue;
        await onEvent(event);
        position = event.position;
        count += 1;
        if (performance.now() - savedAt >= SAVE_EVERY_MS) await save();
      }
      if (isSmall) await save();
    },
  };
}

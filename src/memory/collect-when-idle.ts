/** Gives the memory of a burst of work back to the system, once a thread has little left to do. */
import { performance } from 'node:perf_hooks';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const LOOK_EVERY_MS = 5_000;
/**
 * A thread that worked for less than this share of the time since the last look is idle. The time counts in which it waits
 * for a processor amid its work: with 1 %, an idle server beside busy processes kept the garbage of its main thread.
 */
const IDLE_UTILIZATION = 0.03;
/** In a row. One look may fall into a short pause of a burst. */
const IDLE_LOOKS = 2;
/** A heap that has grown by less since it was last collected here is left alone: a collection takes 20 to 90 ms. */
const GROWN_BYTES = 8 * 1024 * 1024;
const GROWN_SHARE = 0.5;
/** After this time a heap that has not grown is collected, too, if the thread has worked: what it held may be free now. */
const AGAIN_AFTER_MS = 600_000;
/** To move more takes too long, and as much memory again meanwhile. 400 MiB took 0.8 s. */
const MOST_COMPACTED_BYTES = 64 * 1024 * 1024;

/** The caches of this thread. Weak, so that each goes with the store that it is a part of. */
const caches = new Set<WeakRef<Cache>>();
type Cache = { clear(): void };

/** Empties a cache, whose entries can be read again, before the garbage of this thread is collected. */
export function emptyWhenIdle(cache: Cache): void {
  caches.add(new WeakRef(cache));
}

/**
 * From now on, collects the garbage of this thread whenever it is idle and its heap has grown. V8 collects when a heap is
 * full, so an idle thread would keep the garbage of its last burst until the next one. Call it once in each thread.
 * @param everyMs milliseconds between two looks
 */
export function collectWhenIdle(everyMs = LOOK_EVERY_MS): void {
  let looked = performance.eventLoopUtilization();
  let idleLooks = 0;
  let hasWorked = true;
  let collected = { at: performance.now(), to: 0 };

  const look = (): void => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, looked);
    looked = now;
    idleLooks = utilization < IDLE_UTILIZATION ? idleLooks + 1 : 0;
    hasWorked ||= idleLooks === 0;
    if (idleLooks < IDLE_LOOKS || !isDue()) return;
    emptyCaches();
    collectGarbage();
    collected = { at: performance.now(), to: heapBytes() };
    hasWorked = false;
    // The collection is not work: 90 ms of 5 s would be more than an idle thread may have.
    looked = performance.eventLoopUtilization();
  };
  function isDue(): boolean {
    const { at, to } = collected;
    if (heapBytes() >= to + Math.max(GROWN_BYTES, to * GROWN_SHARE)) return true;
    return hasWorked && performance.now() >= at + AGAIN_AFTER_MS;
  }
  // Threads start together. Each has an interval of its own, because the flags of a collection hold for all of them.
  setInterval(look, everyMs * (1 + Math.random() / 5)).unref();
}

function heapBytes(): number {
  return getHeapStatistics().total_heap_size;
}

function emptyCaches(): void {
  for (const reference of caches) {
    const cache = reference.deref();
    if (cache === undefined) caches.delete(reference);
    else cache.clear();
  }
}

/**
 * Compacts the heap, too, if not too much is left: by itself V8 compacts few pages, and the others stay with a little in
 * each. Compacting in every collection would cost the fold of the history a fifth of its rate.
 */
function collectGarbage(): void {
  // Node.js gives `gc` only to contexts that are made after the flag. The context is not kept: it takes half a MiB.
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  // First without compaction: it also ends a collection that V8 has begun, which would take no notice of the flag below.
  collect();
  if (getHeapStatistics().used_heap_size > MOST_COMPACTED_BYTES) return;
  // The flag holds for the whole process. A collection of another thread meanwhile may compact too, or this one may not:
  // neither does harm.
  setFlagsFromString('--compact-on-every-full-gc');
  collect();
  setFlagsFromString('--no-compact-on-every-full-gc');
}

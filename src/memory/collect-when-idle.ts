/** Gives the memory of a burst of work back to the system, once a thread has little left to do. */
import { performance, type EventLoopUtilization } from 'node:perf_hooks';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const LOOK_EVERY_MS = 5_000;
/** The share of the time since the last look in which an idle thread worked, at most. */
const IDLE = 0.01;
/** In a row. One look may fall into a short pause of a burst. */
const IDLE_LOOKS = 2;
/** A heap that has grown by less since its last collection is left alone: a collection takes 20 to 90 ms. */
const GROWN_BYTES = 8 * 1024 * 1024;

/**
 * From now on, collects the garbage of this thread where the thread is idle and its heap has grown. V8 collects when a heap is
 * full, so an idle thread would keep the garbage of its last burst for ever. Call it once in each thread.
 */
export function collectWhenIdle(everyMs = LOOK_EVERY_MS): void {
  let looked = performance.eventLoopUtilization();
  let idleLooks = 0;
  let collectedTo = 0;
  const look = (): void => {
    const { utilization, now } = sinceLast(looked);
    looked = now;
    idleLooks = utilization < IDLE ? idleLooks + 1 : 0;
    if (idleLooks < IDLE_LOOKS || heapBytes() < collectedTo + GROWN_BYTES) return;
    collectGarbage();
    collectedTo = heapBytes();
    looked = performance.eventLoopUtilization();
  };
  setInterval(look, everyMs).unref();
}

function sinceLast(last: EventLoopUtilization): { utilization: number; now: EventLoopUtilization } {
  const now = performance.eventLoopUtilization();
  return { utilization: performance.eventLoopUtilization(now, last).utilization, now };
}

function heapBytes(): number {
  return getHeapStatistics().total_heap_size;
}

/**
 * Moves what is left together, too. By itself V8 does that only on a few pages, and the others stay with a little in each. If
 * every collection did it, the fold of the outbox would take a quarter more processor time.
 */
function collectGarbage(): void {
  // Node.js gives the function only to contexts that are made after the flag. One that is kept takes half a MiB.
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  setFlagsFromString('--compact-on-every-full-gc');
  collect();
  setFlagsFromString('--no-compact-on-every-full-gc');
}

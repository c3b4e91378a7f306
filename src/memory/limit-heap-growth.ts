/** How far the heaps of a process grow before V8 collects their garbage. */
import { setFlagsFromString } from 'node:v8';

/**
 * By itself V8 lets a heap grow to four times of what it holds, and keeps most of those pages: of 30 MiB in the thread that
 * answers requests became 150. The price is processor time: some 5 % of a POST (docs/decisions/031-memory-of-threads.md).
 */
const GROWING_PERCENT = 100;

/** Holds for all threads of the process. V8 reads the flag after each collection, so it also holds for running threads. */
export function limitHeapGrowth(): void {
  setFlagsFromString(`--heap-growing-percent=${GROWING_PERCENT}`);
}

/**
 * Evens out the connections of the workers. Each worker accepts connections by itself, so one of them may take most of a
 * burst. Clients such as CI shards keep their connections for minutes: the others would then stay idle.
 */

/** How often a worker tells the number of its connections that send requests. */
export const COUNT_EVERY_MS = 500;

/** Differences up to this part of the mean are left: each connection that ends costs its client a new one. */
const TOLERATED = 0.15;

/** The number of connections that a worker has above the mean of all workers; 0 where the difference is tolerated. */
export function surplusOf(own: number, all: readonly number[]): number {
  const mean = all.reduce((sum, each) => sum + each, 0) / all.length;
  const surplus = own - mean;
  return surplus < Math.max(1, TOLERATED * mean) ? 0 : Math.floor(surplus);
}

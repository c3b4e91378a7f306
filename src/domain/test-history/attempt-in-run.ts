/**
 * Which attempt of a test comes later in its run (docs/api.md, section 5.2). A run with shards counts attempts twice:
 * those of the shard, and those of the test within one attempt of the shard. Every attempt of the shard comes after all
 * lower ones, whatever was tried within them.
 */

/** Attempts above these are not told apart: the one that arrives last counts. */
const SHARD_ATTEMPTS = 31;
const WITHIN_SHARD = 32;

/**
 * A number from 1 to 1,000 that is higher for a later attempt. `attempt`: that of the result. `shardAttempt`: that of the
 * shard in which the result was sent, or whose result it retries; null for a run without shards.
 */
export function attemptInRun(attempt: number, shardAttempt: number | null): number {
  if (shardAttempt === null) return attempt;
  return (Math.min(shardAttempt, SHARD_ATTEMPTS) - 1) * WITHIN_SHARD + Math.min(attempt, WITHIN_SHARD);
}

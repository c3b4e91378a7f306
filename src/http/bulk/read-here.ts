/** Reads small submissions in the thread of the request: the way to another thread and back would take longer. */
import type { ContentHash } from '../../secret-key/content-hash.js';
import type { PackedItems } from '../../commands/submissions/packed-items.js';
import type { SubmittedRun } from '../../commands/submissions/submission.js';
import { replacesNothing } from '../../commands/replacing.js';
import { loadSchemas } from '../../validation/schemas.js';
import { readSubmission, type Checks } from './read.js';
import type { OpenSubmission, ReadSubmission } from './receive.js';

/** Returns the reader. @throws Error when the build has not generated the validators. */
export function openReadHere(hashOf: ContentHash): ReadSubmission {
  const checks = submissionChecks();
  return async (bytes, now, team) => {
    const { run, items, hash } = readSubmission(bytes, { now, checks, hash: hashOf(team) });
    return opened(run, items, hash);
  };
}

/** The checks of the schemas of a submission, in this thread. */
export function submissionChecks(): Checks {
  const schemas = loadSchemas('requests', ['SubmitItem', 'SubmitRun']);
  return { run: schemas.get('SubmitRun')!.check, item: schemas.get('SubmitItem')!.check };
}

function opened(run: SubmittedRun, items: PackedItems, hash: string | null): OpenSubmission {
  const { count, counts, duration_ms } = items;
  let replacing = replacesNothing;
  return {
    ...run,
    count,
    counts,
    items_hash: hash,
    duration_ms,
    async relate(others, environment) {
      const relating = items.relate(run.shard!.attempt, environment);
      for await (const each of others) relating.add(each);
      replacing = relating.end();
      return replacing.replaced;
    },
    // Each append is made when the one before it is written.
    async *appends(origin, limits, from) {
      yield* items.appends(origin, limits, from, replacing);
    },
    close: items.free,
  };
}

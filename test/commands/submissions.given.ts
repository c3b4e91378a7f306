/** Submissions as the thread of submissions gives them, without that thread. */
import { itemsHash } from '../../src/commands/submissions/same-items.js';
import { packItems } from '../../src/commands/submissions/packed-items.js';
import type { SubmittedItem } from '../../src/commands/submissions/submission.js';
import type { KeyedSubmission } from '../../src/commands/submissions/submit-to-run.js';
import { replacesNothing } from '../../src/commands/replacing.js';

/** A field that is left out gets a usual value. */
export type SentItem = Partial<SubmittedItem>;

export function keyedSubmission(
  project_id: string,
  sent: readonly SentItem[],
  more: Partial<KeyedSubmission> = {},
): KeyedSubmission {
  // Few items make several chunks.
  const items = packItems({ project_id, hash: null, most: { items: 2, characters: 10_000 } });
  for (const given of sent) {
    items.add(itemOf(given));
  }
  let replacing = replacesNothing;
  const { shard = null, submission_key = null } = more;
  return {
    project_id,
    run_key: 'a key',
    shard,
    complete: false,
    submission_key,
    label: null,
    metadata: null,
    started_at: null,
    finished_at: null,
    ...more,
    count: items.count,
    counts: items.counts,
    items_hash:
      shard === null && submission_key === null
        ? null
        : itemsHash(Buffer.from(JSON.stringify(sent)), more.metadata),
    duration_ms: items.duration_ms,
    async relate(others, environment) {
      const relating = items.relate(shard!.attempt, environment);
      for await (const page of others) relating.add(page);
      replacing = relating.end();
      return replacing.replaced;
    },
    async *appends(born, limits, from) {
      yield* items.appends(born, limits, from, replacing);
    },
  };
}

export function itemOf(more: Partial<SubmittedItem> = {}): SubmittedItem {
  return {
    test_name: 'adds up',
    status: 'Passed',
    error_message: null,
    metadata: null,
    started_at: null,
    execution_time_ms: null,
    attempt: 1,
    ...more,
  };
}

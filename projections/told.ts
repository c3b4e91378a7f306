/** Events with what they do not carry: those of a result with the result. */
import type { LedgerEvent } from '../src/domain/events.js';
import type { ResultRecord } from '../src/domain/result.js';
import type { TestEntry } from '../src/domain/test-history.js';

export type EnrichedEvent = LedgerEvent & {
  /** Of an event that sets a final status, or deletes a result. */
  told?: ResultContextOfEvent;
};

export type ResultContextOfEvent = {
  test_id: string;
  /** As the event left it; of a deletion, as it was before. */
  result: ResultRecord;
  /** What the event adds to the history of the test. */
  entry: TestEntry | null;
  /** The entry that the result had before, by the branch that it stands under. */
  former: { branch: string | null } | null;
};

/** The failing results, which the fold of the failures writes. */
import { collection } from '../../src/domain/projection.js';
import type { FailingRow } from '../../src/domain/test-history/failing-row.js';
import type { CountedFailure } from './failure-scopes.js';

/**
 * By result id: a result whose status is `Failed`, or was so before it was reopened. The row of failures is as it was at that
 * status.
 */
export type FailureDocument = CountedFailure &
  FailingRow & {
    superseded_by: string | null;
    /** Somebody knew of it when it was recorded. */
    known: boolean;
    /** Whose test it is, as its result says; absent where it says nothing. */
    owner?: string;
    /** The result is over no more: it is no failure until it fails again. */
    reopened?: true;
    /** The id of its sighting in its run; null while it is superseded. */
    listed_in: string | null;
  };

export const failureDocuments = collection<FailureDocument>({
  name: 'failures',
  ids: 'result',
  rarelyRead: true,
  indexes: [['listed_in', 'placed']],
  filterable: ['environment'],
});

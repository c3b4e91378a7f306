/** Where tests fail now: a document for each line of a test on a branch whose newest verdict there failed. */
import type { EnvironmentKey } from '../../src/domain/environment.js';
import type { Instant } from '../../src/domain/event.js';
import { collection, type DocumentRef, type Documents } from '../../src/domain/projection.js';
import { newestFailure } from '../../src/domain/test-history/failing-row.js';
import { isPassing, unpacked, type PackedVerdicts } from '../../src/domain/test-history/packed-verdicts.js';
import { inListing } from './listings.js';

/** A line of a test on a branch. */
export type LineOnBranch = { test_id: string; environment: EnvironmentKey; branch: string | null };

/** By line and branch (`failingLineId`). */
export type FailingLineDocument = LineOnBranch & {
  /** When it failed last. */
  failed_at: Instant;
};

export const failingLineDocuments = collection<FailingLineDocument>({
  name: 'failing_lines',
  ids: 'test',
  indexes: [['test_id', 'failed_at']],
});

/** As far as it says whether the line fails. */
type StateOfLine = { entries: number; verdicts: PackedVerdicts };

export function failingLineId({ test_id, environment, branch }: LineOnBranch): string {
  return inListing(test_id, environment === '' ? { branch } : { environment, branch });
}

export function failingLineRef(line: LineOnBranch): DocumentRef {
  return failingLineDocuments.at(failingLineId(line));
}

/** Puts the document, or removes it, where the state of the line on the branch says something else than before. */
export function putFailingLine(
  documents: Documents,
  { test_id, environment, branch }: LineOnBranch,
  before: StateOfLine,
  after: StateOfLine,
): void {
  const failed_at = failedAt(after);
  if (failed_at === failedAt(before)) return;
  const line: LineOnBranch = { test_id, environment, branch };
  const id = failingLineId(line);
  if (failed_at === null) documents.remove(failingLineDocuments, id);
  else documents.put(failingLineDocuments, id, { ...line, failed_at } satisfies FailingLineDocument);
}

/** Null for a line that does not fail on the branch, or has no entries there. */
function failedAt({ entries, verdicts }: StateOfLine): Instant | null {
  if (entries === 0 || isPassing(verdicts)) return null;
  return newestFailure(unpacked(verdicts))?.at ?? null;
}

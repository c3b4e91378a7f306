/** Results as they are shown: with their contents, which the read models name by their hashes. */
import type { ResultDocument } from '../../../projections/records/run-documents.js';
import { hasContents, type Gone } from '../../domain/contents.js';
import { withContents, type ContentReader } from '../../log/with-contents.js';

/** `contents`: whether they are there; absent for a result that never had any. */
export type WholeResult = Omit<ResultDocument, 'contents'> & { contents?: 'kept' | Gone };

/** By one look at the store of contents. */
export async function wholeResults(
  contents: ContentReader,
  results: readonly ResultDocument[],
): Promise<WholeResult[]> {
  const apart = results.flatMap((kept) =>
    kept.contents === undefined ? [] : [{ id: kept.test_result_id, refs: kept.contents, kept }],
  );
  const found = apart.length === 0 ? [] : await withContents(contents, apart);
  let next = 0;
  return results.map((result) => {
    if (result.contents === undefined) return withoutRefs(result);
    const { texts, contents: state } = found[next++]!;
    return { ...texts, contents: state };
  });
}

/**
 * Copied only where it has texts of its own, as in tests. The new field stands first: behind the spread it would make a hash
 * table of the copy, in which each field is searched for, and the answer takes them all (docs/decisions/033).
 */
function withoutRefs(result: Omit<ResultDocument, 'contents'>): WholeResult {
  return hasContents(result) ? { contents: 'kept', ...result } : result;
}

/** Forgets the contents of some results: those that were deleted or redacted (docs/decisions/041). */
import type { Contents, Mark } from '../ports/contents.js';
import type { State } from '../ports/state.js';
import { putVisit, SOON } from './content-visits.js';

export type Forgetting = { contents: Pick<Contents, 'mark' | 'release'>; state: Pick<State, 'put'> };

/** `run`: null for a result without one. */
export type Forgotten = { team: string; run: string | null; id: string };

/**
 * From here on, nobody sees the contents of these results, in no version. Their bytes go where no other result has them: at once
 * for a result without a run, and with the next visit of its run for another one. It may be done again at any time.
 */
export async function forgetContents(
  { contents, state }: Forgetting,
  results: readonly Forgotten[],
  reason: Mark,
): Promise<void> {
  if (results.length === 0) return;
  // First the marks: a visit keeps what results without a mark name.
  await contents.mark(
    results.map(({ id }) => id),
    reason,
  );
  const runs = new Map<string, string>();
  for (const { team, run, id } of results) {
    if (run === null) await contents.release(id);
    else runs.set(run, team);
  }
  for (const [holder, team] of runs) await putVisit(state, { at: SOON, team, holder });
}

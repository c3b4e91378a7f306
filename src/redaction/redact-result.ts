/** Redacts a result: its contents as a whole, and its artifacts. Its verdict stays. */
import { forgetContents } from '../commands/forget-contents.js';
import { mustBePresent } from '../domain/life.js';
import { result } from '../domain/results/result.js';
import { streamNameOf } from '../domain/teams/team-streams.js';
import { askForErasure } from './erasures.js';
import { forgetTitles } from './forget-titles.js';
import type { Asking, Redacted, Redacting } from './redacting.js';

/**
 * From the answer on nobody sees it. A repeat changes nothing. After a crash before the end, the janitor forgets the contents.
 * @throws AppError `not_found`
 */
export async function redactResult(
  { commands, contents, state, masks, log, historyViews }: Redacting,
  { context, waitFor }: Asking,
  id: string,
  reason: string,
): Promise<Redacted> {
  const { team } = context;
  const command = { type: 'RedactResult', reason } as const;
  const executed = await commands.execute(result, streamNameOf('result', team, id), context, command);
  const { test_run_id: run, redacted_at } = mustBePresent(executed.state, 'result');
  await forgetContents({ contents, state }, [{ team, run, id }], 'redacted');
  if (run !== null) {
    await waitFor('history');
    await forgetTitles({ log, historyViews, contents }, { team, run, id });
  }
  await askForErasure(state, { id, team, hides: id, mask: null });
  await masks.spread();
  return { id, redacted_at: redacted_at! };
}

/** Redacts a run: its description, all of its results, and their artifacts. Verdicts stay, and the fields of filters. */
import { groupedBy } from '../domain/grouped-by.js';
import { artifactDocuments } from '../../projections/records/artifacts.js';
import { runDocuments, type RunDocument } from '../../projections/records/run-documents.js';
import type { CommandContext } from '../commands/command-context.js';
import { forgetContents } from '../commands/forget-contents.js';
import type { Reader } from '../domain/teams/access.js';
import { streamName } from '../domain/event.js';
import { mustBePresent } from '../domain/life.js';
import { result } from '../domain/results/result.js';
import { run as runDecider } from '../domain/runs/run.js';
import { streamNameOf } from '../domain/teams/team-streams.js';
import type { Cursor } from '../ports/views.js';
import { pageOfResults } from '../queries/results/results-page.js';
import { submissionsOf } from '../queries/results/submissions-of-run.js';
import { askForErasure } from './erasures.js';
import type { Asking, Redacted, Redacting } from './redacting.js';
import { fail } from '../errors.js';

const RESULTS_AT_ONCE = 500;
const ARTIFACTS_AT_ONCE = 100;

/**
 * From the answer on nobody sees it. A repeat takes what came since. After a crash before the end there is no event, and a
 * repeat does the rest.
 * @throws AppError `not_found`, `views_behind`
 */
export async function redactRun(
  parts: Redacting,
  reader: Reader,
  { context, waitFor }: Asking,
  { id, reason }: { id: string; reason: string },
): Promise<Redacted> {
  const { commands, masks, log, state, contents } = parts;
  const { team } = context;
  // What comes from here on stays: it is kept anew.
  const question = await contents.question(id);
  if (!(await waitFor('records'))) {
    fail('views_behind', 'The read models are behind, so it is not known what the run has.', {
      retryAfter: 1,
    });
  }
  const document = await parts.views.get(runDocuments, reader, id);
  const questions = new Map([[id, question.id]]);
  if (document.items > 0)
    for (const submission of await submissionsOf(parts.views, id))
      if (submission !== id && submission !== document.arriving?.submission_id)
        questions.set(submission, (await contents.question(submission)).id);
  const fields: ('results' | 'artifacts')[] = [];
  if (await redactResults(parts, team, document)) fields.push('results');
  for (const [holder, asked] of questions) await contents.release(holder, undefined, asked);
  if (await redactArtifacts(parts, context, id)) fields.push('artifacts');
  const up_to = await log.head(team);
  const command = { type: 'RedactRun', reason, fields } as const;
  const executed = await commands.execute(runDecider, streamNameOf('run', team, id), context, command);
  const { redacted_at } = mustBePresent(executed.state, 'run');
  const mask = { id: `${id}@${up_to}`, team, up_to, run: id };
  await masks.add(mask);
  await askForErasure(state, { id: mask.id, team, hides: id, mask });
  await masks.spread();
  return { id, redacted_at: redacted_at! };
}

/** Returns whether there was any that was not redacted. */
async function redactResults(
  { views, contents, state }: Redacting,
  team: string,
  run: RunDocument,
): Promise<boolean> {
  let found = false;
  for (let after: Cursor | undefined; ;) {
    const { items, next } = await pageOfResults(
      views,
      run,
      { limit: RESULTS_AT_ONCE, after },
      async () => run.counts.total,
    );
    const ids = items.map(({ test_result_id }) => test_result_id);
    const marked = await contents.marked(ids);
    const fresh = ids.filter((id) => !marked.has(id));
    found ||= fresh.length > 0;
    const forgotten = fresh.map((id) => ({ team, run: run.test_run_id, id }));
    await forgetContents({ contents, state }, forgotten, 'redacted');
    if (next === null) return found;
    after = next;
  }
}

/** Returns whether there was any. */
async function redactArtifacts(
  { views, commands }: Redacting,
  context: CommandContext,
  run: string,
): Promise<boolean> {
  let found = false;
  for (let after: Cursor | undefined; ;) {
    const { items, next } = await views.find(artifactDocuments, {
      where: { test_run_id: run },
      sort: { field: 'created_position', direction: 'ascending' },
      limit: ARTIFACTS_AT_ONCE,
      ...(after && { after }),
    });
    for (const [id, artifacts] of groupedBy(items, ({ test_result_id }) => test_result_id)) {
      const ids = artifacts.map(({ artifact_id }) => artifact_id);
      const command = { type: 'RedactArtifacts', artifacts: ids } as const;
      const stream = streamName('result', context.team, id);
      const { appended } = await commands.execute(result, stream, context, command);
      found ||= appended !== null;
    }
    if (next === null) return found;
    after = next;
  }
}

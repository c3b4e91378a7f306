/** The rows of results. */
import { withoutContents, type ContentRefs, type Texts } from '../../domain/contents.js';
import { resultEnvironment } from '../../domain/environment.js';
import { statusWords } from '../../domain/results/result.js';
import { testIdOf } from '../../domain/test-history/test.js';
import { shownErrorMessage, tagsIn, textIn, understoodResult } from '../../domain/understood.js';
import { withContents, type ContentReader } from '../../log/with-contents.js';
import type { Cell, Row } from './columns.js';
import type { Names } from './names.js';
import { submissionOf, supersederOf, type TableResult } from './result-fold.js';

/** A row without its contents, and what they are found by. */
export type ResultRow = { cells: Cell[]; texts: Texts; refs: ContentRefs | undefined };

/** As the result is now: the caller may change it afterwards. */
export function resultRow(state: TableResult, names: Names): ResultRow {
  const { present, revision, position } = state;
  const { test_result_id, project_id, test_run_id, test_name, metadata, context } = present;
  const run = names.run(test_run_id);
  const submission = submissionOf(test_result_id);
  const { file, line, suite, owner } = understoodResult(metadata, null);
  const tags = metadata === null ? null : tagsIn(metadata);
  const cells: Cell[] = [
    test_result_id,
    revision,
    position,
    project_id,
    names.project(project_id),
    test_run_id,
    run?.label ?? null,
    run?.run_key ?? null,
    textIn(metadata, 'branch') ?? run?.branch ?? null,
    textIn(metadata, 'commit') ?? run?.commit ?? null,
    run?.pull_request ?? null,
    run?.actor ?? null,
    run?.ci_url ?? null,
    run?.tool ?? null,
    resultEnvironment(context?.run_environment ?? '', metadata) || null,
    present.test_id ?? testIdOf(project_id, test_name),
    test_name,
    file,
    line,
    suite,
    owner,
    tags === null ? null : JSON.stringify(tags),
    (submission === null ? null : run?.shards.get(submission)) ?? null,
    context?.shard_attempt ?? null,
    present.attempt,
    present.retry_of,
    supersederOf(state),
    statusWords[present.status],
    state.known,
    state.group,
    present.execution_time_ms,
    present.started_at,
    present.finished_at,
    present.created_at,
    state.deleted,
  ];
  const texts: Texts = { error_message: present.error_message, metadata };
  return { cells, texts: state.deleted ? withoutContents(texts) : texts, refs: present.contents };
}

/** The rows with their contents, by one look at the store. What is forgotten by now is not in them. */
export async function withTexts(contents: ContentReader, rows: readonly ResultRow[]): Promise<Row[]> {
  const apart = rows.flatMap(({ cells, texts, refs }) =>
    refs === undefined ? [] : [{ id: cells[0] as string, refs, kept: texts }],
  );
  const found = await withContents(contents, apart);
  let next = 0;
  return rows.map(({ cells, texts, refs }) => {
    const { error_message = null, metadata = null } = refs === undefined ? texts : found[next++]!.texts;
    const { error } = understoodResult(metadata, error_message);
    return [
      ...cells,
      error?.type ?? null,
      shownErrorMessage(metadata, error_message),
      error?.stack ?? null,
      metadata === null ? null : JSON.stringify(metadata),
    ];
  });
}

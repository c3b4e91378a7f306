/**
 * What a comparison of runs needs of each run: its final results, packed in chunks, and where it comes from. It goes with
 * the histories of tests, because a result is flaky or known as its test says.
 */
import type { HistoryChange } from '../../src/domain/test-history/result-change.js';
import { withReport } from '../../src/domain/runs/unread-reports.js';
import { ofResults, projection, type Handlers } from '../projection.js';
import { lateCompletion } from './late-comparisons.js';
import { settings } from './project-settings.js';
import { runCallDocuments, runChunkDocuments } from './run-chunks.js';
import { results } from './run-results.js';
import { arrival, completion, description, reopening } from './run-comparisons.js';
import {
  comparedListDocuments,
  completedRunsDocuments,
  originOf,
  projectSettingsDocuments,
  runSummaryDocuments,
  type RunSummaryDocument,
} from './run-summary-documents.js';

const spec = {
  name: 'run_summaries',
  version: 5,
  collections: [
    runSummaryDocuments,
    runChunkDocuments,
    runCallDocuments,
    comparedListDocuments,
    completedRunsDocuments,
    projectSettingsDocuments,
  ],
};

const handlers: Handlers<HistoryChange> = {
  ProjectCreated: settings,
  ProjectDescribed: settings,
  RunCreated: {
    touches: ({ data }) => [runSummaryDocuments.atNew(data.run_id)],
    apply(documents, { data, meta, position }) {
      const { run_id, project_id, metadata, report } = data;
      const unread = withReport(undefined, { shard: null, ...(report && { report }) });
      documents.put(runSummaryDocuments, run_id, {
        team_id: meta.team_id,
        project_id,
        ...originOf(metadata),
        created_at: meta.at,
        created_position: position,
        started_at: null,
        lines: 0,
        ...(unread && { unread }),
        arriving: false,
        completed: false,
        tests: 0,
        comparison: null,
        gate: null,
        counted: null,
      } satisfies RunSummaryDocument);
    },
  },
  RunDescribed: description,
  RunStarted: reopening,
  RunReturnedToPending: reopening,
  ItemsSubmitted: arrival,
  ...ofResults(results),
};

/** Goes after `testHistories`: a result is flaky or known as its test says. */
export const runSummaries = projection<HistoryChange>({
  ...spec,
  on: { ...handlers, RunCompleted: completion },
});

/** Of a past. */
export const lateRunSummaries = projection<HistoryChange>({
  ...spec,
  on: { ...handlers, RunCompleted: lateCompletion },
});

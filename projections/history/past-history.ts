/** The second read model as a past has it. By itself, because the thread of the past loads nothing that it does not fold. */
import type { Projection } from '../../src/domain/projection.js';
import type { HistoryEvent } from '../../src/domain/test-history/result-change.js';
import { lateRunSummaries } from '../comparisons/run-summaries.js';
import { runCounts } from '../outbox/message-counts.js';
import { together } from '../projection.js';
import { teamSettings } from '../team-settings.js';
import { entries } from './entries.js';
import { failuresInRuns } from './failures.js';
import { testHistories } from './histories.js';
import { knownFailures } from './known-failures.js';
import { superseding } from './superseding.js';

/**
 * What answers about the past show: no webhooks, causes, messages and statistics. Of tests without trouble, runs have their lines
 * alone. A comparison is made when its run is asked for (`late-comparisons.ts`).
 */
export const pastHistory: Projection<HistoryEvent> = together<HistoryEvent>('history', [
  ...[runCounts, teamSettings, superseding, knownFailures, testHistories, failuresInRuns].map(withoutLines),
  lateRunSummaries,
  withoutLines(entries),
]);

function withoutLines(part: Projection<HistoryEvent>): Projection<HistoryEvent> {
  return {
    ...part,
    touches: (event) => (event.lines === undefined ? part.touches(event) : []),
    follows: (documents, event) =>
      event.lines === undefined ? (part.follows?.(documents, event) ?? null) : null,
    apply(documents, event) {
      if (event.lines === undefined) part.apply(documents, event);
    },
  };
}

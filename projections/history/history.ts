/**
 * The second read model: tests, failures, groups and comparisons, and the outbox, whose messages follow from them. All are
 * folded together, with the same checkpoints.
 */
import type { Projection } from '../../src/domain/projection.js';
import type { HistoryEvent } from '../../src/domain/test-history/result-change.js';
import { digests } from '../digests/digests.js';
import { runCounts } from '../outbox/message-counts.js';
import { messages } from '../outbox/messages.js';
import { teamWebhooks } from '../outbox/team-webhooks.js';
import { together } from '../projection.js';
import { teamSettings } from '../team-settings.js';
import { causes } from '../causes/causes.js';
import { entries } from './entries.js';
import { failures } from './failures.js';
import { testHistories } from './histories.js';
import { knownFailures } from './known-failures.js';
import { runSummaries } from '../comparisons/run-summaries.js';
import { statistics } from '../statistics/statistics.js';
import { verdicts } from '../verdicts/verdicts.js';
import { superseding } from './superseding.js';

/** The parts in the order in which they are folded. */
export const history: Projection<HistoryEvent> = together<HistoryEvent>('history', [
  runCounts,
  teamWebhooks,
  teamSettings,
  superseding,
  knownFailures,
  testHistories,
  failures,
  causes,
  runSummaries,
  verdicts,
  statistics,
  digests,
  entries,
  messages,
]);

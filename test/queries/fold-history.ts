import { history } from '../../projections/history/history.js';
import { START } from '../../src/domain/event.js';
import type { LedgerEvent } from '../../src/domain/events.js';
import { ALL_PARTITIONS } from '../../src/domain/partition.js';
import { openHistoryFold } from '../../src/webhooks/outbox/history-fold.js';
import type { embeddedStores } from '../stores.js';
import { openMemoryLog } from '../webhooks/outbox/memory-log.js';

/** Folds events into the history, as the first of these stores. */
export async function foldHistory(
  { writer, state, clock }: ReturnType<typeof embeddedStores>,
  events: readonly LedgerEvent[],
): Promise<void> {
  const to = events.at(-1)!.position;
  const log = { ...openMemoryLog(events), head: async () => to };
  await writer.prepare(history, 1);
  const fold = openHistoryFold({ log, views: writer, state, clock });
  await fold({ build: 1, epoch: 1 })({ events, partitions: ALL_PARTITIONS, from: START, to });
}

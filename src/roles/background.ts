/** The loops of the role `api` beside its routes. */
import { ledgerViews } from '../../projections/index.js';
import { startJanitor } from '../artifacts/janitor.js';
import { systemClock as clock } from '../clock.js';
import type { Ledger } from '../commands/ledger.js';
import { startMaintenance } from '../commands/maintenance.js';
import { openFeed } from '../log/feed.js';
import type { Blobs } from '../ports/blobs.js';
import type { Freshness } from '../projecting/freshness.js';
import type { Core } from './core.js';

/** Two loops: one completes idle runs and ends known failures, the other deletes the bytes of deleted artifacts. */
export function startBackgroundWork(
  { config, log, ledger, views, outboxViews, state, holder, metrics, report, onStop }: Core,
  { freshness, artifactLedger, blobs }: { freshness: Freshness; artifactLedger: Ledger; blobs: Blobs },
): void {
  onStop(
    startMaintenance({
      ledger,
      views,
      spec: ledgerViews,
      outboxViews,
      state,
      freshness,
      clock,
      runIdle: config.runIdle,
      report,
    }),
  );
  onStop(
    startJanitor({
      ledger: artifactLedger,
      blobs,
      state,
      feed: openFeed(log),
      holder,
      clock,
      report,
      metrics,
    }),
  );
}

/** The loops of the role `api` beside its routes: one process of a server runs them. */
import { ledgerViews } from '../../projections/index.js';
import { openBlobs } from '../adapters/open.js';
import { startJanitor } from '../artifacts/janitor.js';
import { systemClock as clock } from '../clock.js';
import { openArtifacts } from '../commands/artifacts.js';
import type { Ledger } from '../commands/ledger.js';
import { startMaintenance } from '../commands/maintenance.js';
import { openFeed } from '../log/feed.js';
import type { Blobs } from '../ports/blobs.js';
import { openFreshness, type Freshness } from '../projecting/freshness.js';
import type { Core } from './core.js';

/** Opens what the loops need, and starts them: for a process that answers no HTTP. */
export async function openBackgroundWork(core: Core): Promise<void> {
  const { config, ledger } = core;
  const { blobs } = await openBlobs(config, core.onStop, clock);
  const freshness = openFreshness({ log: core.log, views: core.views, projection: ledgerViews.name, clock });
  const artifacts = openArtifacts({ ledger, blobs, clock, limits: config.artifacts });
  startBackgroundWork(core, { freshness, artifactLedger: artifacts.ledger, blobs });
}

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

/** The loops of the role `api` beside its routes. */
import { records } from '../../projections/records/records.js';
import { startJanitor } from '../artifacts/janitor.js';
import { systemClock as clock } from '../clock.js';
import type { CommandHandler } from '../commands/command-handler.js';
import { startMaintenance } from '../commands/maintenance.js';
import { isLogInFiles } from '../adapters/open.js';
import { openFeed } from '../log/feed.js';
import type { Blobs } from '../ports/blobs.js';
import type { Freshness } from '../projecting/freshness.js';
import { openTeamViews } from '../queries/team-views.js';
import { startSweep } from '../retention/sweep.js';
import type { Core } from './core.js';

/** An append to a log on a server is given up sooner. */
const APPENDS_SETTLE_IN_MS = 30_000;

/** Three loops: idle runs and known failures, the bytes of deleted artifacts, and contents whose time is over. */
export function startBackgroundWork(
  { config, log, commands, views, historyViews, state, contents, holder, metrics, report, onStop }: Core,
  {
    freshness,
    artifactCommands,
    blobs,
  }: { freshness: Freshness; artifactCommands: CommandHandler; blobs: Blobs },
): void {
  onStop(
    startMaintenance({
      commands,
      views,
      spec: records,
      historyViews,
      state,
      freshness,
      clock,
      runIdle: config.runIdle,
      report,
    }),
  );
  onStop(
    startJanitor({
      commands: artifactCommands,
      blobs,
      state,
      contents,
      feed: openFeed(log),
      holder,
      clock,
      report,
      metrics,
    }),
  );
  onStop(
    startSweep({
      views: openTeamViews(views, records, contents),
      freshness,
      contents,
      state,
      // A log in files keeps contents in the transaction of their event.
      settlesInMs: isLogInFiles(config) ? 0 : APPENDS_SETTLE_IN_MS,
      holder,
      clock,
      report,
    }),
  );
}

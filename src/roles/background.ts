/** The loops of the role `api` beside its routes. */
import { records } from '../../projections/records/records.js';
import { startJanitor } from '../artifacts/janitor.js';
import { systemClock as clock } from '../clock.js';
import type { CommandHandler } from '../commands/command-handler.js';
import { startMaintenance } from '../commands/maintenance.js';
import { openFeed } from '../log/feed.js';
import type { Blobs } from '../ports/blobs.js';
import type { Freshness } from '../projecting/freshness.js';
import type { Core } from './core.js';

/** Two loops: one completes idle runs and ends known failures, the other deletes the bytes of deleted artifacts. */
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
}

/** The loops of the role `api` beside its routes. */
import { records } from '../../projections/records/records.js';
import { history } from '../../projections/history/history.js';
import { partitionOf } from '../domain/partition.js';
import { startJanitor } from '../artifacts/janitor.js';
import { systemClock as clock } from '../clock.js';
import type { CommandHandler } from '../commands/command-handler.js';
import { startMaintenance } from '../commands/maintenance.js';
import { isLogInFiles } from '../adapters/open.js';
import { openFeed } from '../log/feed.js';
import type { Blobs } from '../ports/blobs.js';
import type { Freshness } from '../projecting/freshness.js';
import { openTeamViews } from '../queries/team-views.js';
import { startEraser } from '../redaction/eraser.js';
import { startSweep } from '../retention/sweep.js';
import { openSealer, type SecretKeys } from '../secret-key/secret-keys.js';
import type { Sharing } from '../sharing/sharing.js';
import { emptyWriteAheadLogs } from '../adapters/open.js';
import { startNotingDays } from '../usage/days.js';
import { startClosingDays } from '../webhooks/digests/close-days.js';
import type { Core } from './core.js';

const FOLDED_WITHIN_MS = 5_000;
/** An append to a log on a server is given up sooner. */
const APPENDS_SETTLE_IN_MS = 30_000;

/**
 * Six loops: one completes idle runs and ends known failures, one deletes the bytes of deleted artifacts, one erases what was
 * redacted, one releases contents whose time is over, one notes each day how much room projects take, and one closes days for
 * digests.
 */
export function startBackgroundWork(
  core: Core,
  {
    freshness,
    artifactCommands,
    blobs,
    secretKeys,
    sharing,
  }: {
    freshness: Freshness;
    artifactCommands: CommandHandler;
    blobs: Blobs;
    secretKeys: SecretKeys;
    sharing: Sharing;
  },
): void {
  const { config, log, commands, views, historyViews, state, contents, holder, metrics, report, onStop } =
    core;
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
    startEraser({
      ...core,
      commands: artifactCommands,
      views: openTeamViews(views, records, contents),
      blobs,
      sealer: openSealer(secretKeys, 'redactions'),
      sharing,
      haveFolded: async (team, position) => {
        const wanted = { partition: partitionOf(team), atLeast: position, timeoutMs: FOLDED_WITHIN_MS };
        const folded = await views.position(records.name, wanted);
        return folded >= position && (await historyViews.position(history.name, wanted)) >= position;
      },
      emptyWriteAheadLogs: () => emptyWriteAheadLogs(config),
      clock,
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
  onStop(startClosingDays({ ...core, views: openTeamViews(views, records, contents), clock }));
  onStop(startNotingDays({ ...core, views: openTeamViews(views, records, contents), clock }));
}

/**
 * The role `projector`, a thread of its own: folds the log into the read models. It reads the log and writes the views;
 * its lease and requests for a rebuild are in State. One loop: `runProjector`.
 */
import { records } from '../../projections/records/records.js';
import { openForProjector } from '../adapters/open.js';
import { openFoldFeed } from '../log/feed.js';
import { foldInto } from '../projecting/fold.js';
import { runProjector } from '../projecting/projector.js';
import { openRoleContext } from './role-context.js';

const { config, loop, logProjection, close } = openRoleContext();
const report = logProjection(records.name);
const { storedLog, views, state } = await openForProjector(config, (error) =>
  report({ type: 'failed', error, retryInMs: 0 }),
);
await runProjector({
  ...loop,
  projection: records,
  fold: foldInto(records, views),
  feed: openFoldFeed(storedLog),
  views,
  state,
  report,
});
await state.close();
await views.close();
await storedLog.close();
close();

/** The options of a projector, and the take-over of a build. */
import { instant, type Clock } from '../clock.js';
import type { ProjectionSpec } from '../domain/projection.js';
import type { LeaderFault } from '../leases/run-as-leader.js';
import type { Holder, Lease } from '../leases/lease.js';
import type { Feed } from '../log/feed.js';
import type { State } from '../ports/state.js';
import type { Build, ViewWriter } from '../ports/views.js';
import type { OpenFold } from './fold.js';
import type { LaneReport } from './lane-moves.js';
import { openLanes, type Lanes } from './lanes.js';
import { refuseOtherLog } from './refuse-other-log.js';
import type { StuckRecords } from './stuck.js';

export type ProjectorOptions = {
  projection: ProjectionSpec;
  /** Makes documents of events. */
  fold: OpenFold;
  feed: Feed;
  /** The largest number of events in one commit. */
  limit?: number;
  /**
   * The pause after a commit while events come fast, so that the next commit has more of them: a commit costs more than
   * the events in it.
   */
  gatherMs?: number;
  views: ViewWriter;
  state: State;
  holder: Holder;
  clock: Clock;
  signal: AbortSignal;
  /** Gets every fault before the next try, every rebuild, and every lane that gets stuck or goes on. */
  report: (event: ProjectorReport) => void;
};

const EVENTS_PER_COMMIT = 2_000;

export type ProjectorReport =
  | LeaderFault
  | LaneReport
  | { type: 'rebuilding' | 'rebuilt'; build: number }
  | { type: 'spare'; version: number };

/** The options of a leader, with its lease. */
export type Leading = ProjectorOptions & { lease: Lease; stuck: StuckRecords };

/**
 * Takes over a build: from here on, a former leader can commit nothing to it.
 * @throws Error when the build is of another log
 */
export async function lanesInto(leading: Leading, from: Build): Promise<Lanes> {
  const { build, checkpoints } = from;
  const {
    projection,
    views,
    feed,
    lease,
    stuck,
    clock,
    report,
    limit = EVENTS_PER_COMMIT,
    gatherMs = 0,
  } = leading;
  const { epoch } = lease;
  await refuseOtherLog(feed, from);
  await stuck.forget(build);
  for (const { partitions, position } of checkpoints) {
    await views.commit(projection, { build, epoch, partitions, from: position, to: position, changes: [] });
  }
  return openLanes({
    feed,
    fold: leading.fold({ build, epoch }),
    checkpoints,
    limit,
    gatherMs,
    report(lane) {
      report(lane);
      stuck
        .record(build, lane, instant(clock))
        .catch((error: unknown) => report({ type: 'failed', error, retryInMs: 0 }));
    },
  });
}

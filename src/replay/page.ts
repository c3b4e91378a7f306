/** One page of a team's events. */
import type { Position, RecordedEvent } from '../domain/event.js';
import { estimateBytes } from '../memory/estimate-bytes.js';
import { isVisible, type ReplayScope } from './scope.js';
import { readSteps, type StepSource } from './steps.js';

export type ReplayPage = {
  events: RecordedEvent[];
  /** The log was read up to here. The next page begins after it. */
  next: Position;
  /** The log held nothing more when it was read. Only this means the end: a page may be short before it. */
  caughtUp: boolean;
  /** The work of its steps. */
  work: number;
};

/** A page whose filter lets hardly anything through ends after about 10,000 events that were parsed, or 65,000 others. */
const MOST_WORK = 40;
/** The approximate size of a page: each event may have 320 KiB. */
const MAX_BYTES = 2 * 1024 * 1024;

/** Returns at most `limit` events after a position of the log. */
export async function readPage(
  source: StepSource,
  scope: ReplayScope,
  { after, limit }: { after: Position; limit: number },
): Promise<ReplayPage> {
  const page: ReplayPage = { events: [], next: after, caughtUp: false, work: 0 };
  let bytes = 0;
  // Without a filter by project, every event is visible, so no more are read than the page still takes.
  const left = () => (scope.project === undefined ? limit - page.events.length : Infinity);
  for await (const step of readSteps(source, scope, { after, left })) {
    page.work += step.work;
    for (const event of step.events) {
      if (!isVisible(scope, event)) continue;
      if (page.events.length === limit) return page;
      page.events.push(event);
      page.next = event.position;
      bytes += estimateBytes(event.data);
      if (bytes >= MAX_BYTES) return page;
    }
    page.next = step.position;
    page.caughtUp = step.caughtUp;
    if (page.events.length === limit || page.work >= MOST_WORK) return page;
  }
  return page;
}

/**
 * The share of the thread that all live views of a team have together: 250 views that one person has open take no more
 * than one view does. One view is rendered after the other, the longest waiting first, and the next one waits for as
 * long as the share asks for.
 */
import { openSerializeByKey } from '../../concurrency/serialize-by-key.js';
import { sleep } from '../../concurrency/sleep.js';

const SHARE = 0.05;
const MOST_WAIT_MS = 10_000;

/** Does the work in its turn, and ends once the next one may begin. @throws what the work throws */
export type InTeamShare = (team: string, work: () => Promise<void>) => Promise<void>;

/** `ended`: nobody waits any more. */
export function openTeamShare(ended: AbortSignal): InTeamShare {
  const serialize = openSerializeByKey();
  return (team, work) =>
    serialize(team, async () => {
      const began = performance.now();
      try {
        await work();
      } finally {
        const took = performance.now() - began;
        await sleep(Math.min(MOST_WAIT_MS, took / SHARE - took), ended);
      }
    });
}

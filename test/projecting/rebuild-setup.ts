/** The setup of rebuild tests: live views of a run, and a request that no projector has begun. */
import { records } from '../../projections/records/records.js';
import { openFoldFeed, type Feed } from '../../src/log/feed.js';
import { requestRebuild } from '../../src/projecting/rebuild.js';
import { feedWith, projectedRun } from './projector-setup.js';
import { NOW, type Stores } from '../stores.js';

export async function givenRequest(stores: Stores) {
  const projected = await projectedRun(stores);
  await requestRebuild(stores.state, records, NOW);
  return projected;
}

/** The builds of the ledger's views. */
export async function buildsOf({ writer: views }: Stores) {
  return (await views.builds(records.name)).map(({ build, version, live }) => ({ build, version, live }));
}

/** A feed of small pages, which calls `happen` before each page with its number. */
export function pagesOf(
  { log }: Stores,
  limit: number,
  happen: (page: number, after: string) => Promise<void> | void,
): Feed {
  let pages = 0;
  const beforePage = async (after: string) => {
    pages += 1;
    await happen(pages, after);
  };
  return feedWith(openFoldFeed(log), { beforePage, limit });
}

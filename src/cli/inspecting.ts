import { describeStore, openToInspect, type Stores } from '../adapters/open.js';
import type { Config } from '../config.js';
import { openStopList } from '../stop-list.js';
import { failWith } from './errors.js';

/** Works with all stores beside a running server. @throws CliError `ledger_missing` where no server has ever opened them */
export async function inspecting<T>(config: Config, work: (stores: Stores) => Promise<T>): Promise<T> {
  const { onStop, stop } = openStopList();
  try {
    const stores = await openToInspect(config, onStop);
    if (stores === null) failWith('ledger_missing', `there is no ledger in ${describeStore(config.views)}`);
    return await work(stores);
  } finally {
    await stop();
  }
}

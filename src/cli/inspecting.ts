import { describeStore, openToInspect, type Inspected } from '../adapters/open.js';
import type { Config } from '../config.js';
import { failWith } from './errors.js';

/** Works with all stores beside a running server. @throws CliError `ledger_missing` where no server has ever opened them */
export async function inspecting<T>(config: Config, work: (stores: Inspected) => Promise<T>): Promise<T> {
  const stores = await openToInspect(config);
  if (stores === null) failWith('ledger_missing', `there is no ledger in ${describeStore(config.views)}`);
  try {
    return await work(stores);
  } finally {
    await stores.close();
  }
}

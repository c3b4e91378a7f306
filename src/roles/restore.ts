/** Opens a log that was restored from a backup, and forgets in it what was forgotten after the backup was made. */
import { openForApi } from '../adapters/open.js';
import { systemClock as clock } from '../clock.js';
import { openCommandHandler } from '../commands/command-handler.js';
import type { Config } from '../config.js';
import { restoreForgotten } from '../redaction/restore-forgotten.js';
import type { Forgotten } from '../redaction/forgotten.js';
import { openStopList } from '../stop-list.js';

export type { Forgotten };

/** Returns how many things were forgotten again. @throws Error where a server runs on the folder */
export async function restore(config: Config, forgotten: readonly Forgotten[]): Promise<number> {
  const { onStop, stop } = openStopList();
  try {
    const stores = await openForApi(config, onStop);
    const commands = openCommandHandler(stores.log);
    return await restoreForgotten({ ...stores, commands, clock }, forgotten);
  } finally {
    await stop();
  }
}

/** Asks a running server to rebuild its read models, and tells how far it is. */
import { setTimeout as pause } from 'node:timers/promises';
import { ledgerViews } from '../../projections/index.js';
import { openExistingState, placeOf } from '../adapters/open.js';
import type { Config } from '../config.js';
import { instant, systemClock } from '../core/clock.js';
import { readRebuild, requestRebuild } from '../core/rebuild.js';
import { isLedgerError } from '../errors.js';

const ASK_EVERY_MS = 200;
const NOBODY_MS = 15_000;
const STUCK_MS = 30_000;

/** Answers the exit code: 0 when the new build is live, 1 when nobody took the request up. */
export async function rebuild(config: Config, tell: (line: string) => void): Promise<number> {
  const state = await openExistingState(config);
  if (state === null) {
    tell(`there is no ledger in ${placeOf(config.views)}; set DATA_DIR`);
    return 1;
  }
  try {
    await requestRebuild(state, ledgerViews.name, instant(systemClock));
    const asked = Date.now();
    let told = -1;
    let moved = asked;
    for (;;) {
      const request = await readRebuild(state, ledgerViews.name).catch(unlessAway);
      if (request === 'away') {
        if (Date.now() - moved > STUCK_MS) {
          tell('the state does not answer; the request is kept there');
          return 1;
        }
        await pause(ASK_EVERY_MS);
        continue;
      }
      if (request?.status === 'done') {
        tell(`done: ${request.events} events folded; build ${request.build} is live`);
        return 0;
      }
      if (request?.status === 'failed') {
        tell(`failed: ${request.error}; the live build goes on`);
        return 1;
      }
      if (request?.status === 'running' && Date.now() - moved > STUCK_MS) {
        tell('no progress; has the server stopped? The rebuild goes on when it starts again');
        return 1;
      }
      if (request?.status === 'requested' && Date.now() - asked > NOBODY_MS) {
        tell('no server has taken the request up; it will when one starts on these stores');
        return 1;
      }
      if (request?.status === 'running' && request.events !== told) {
        told = request.events;
        moved = Date.now();
        tell(`${told} events folded`);
      }
      await pause(ASK_EVERY_MS);
    }
  } finally {
    await state.close();
  }
}

/** The request stands meanwhile, and how it goes is asked again: a server that restarts is no reason to leave. */
function unlessAway(error: unknown): 'away' {
  if (!isLedgerError(error, 'state_unavailable')) throw error;
  return 'away';
}

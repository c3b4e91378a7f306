/** Asks a running server to rebuild its read models, and tells how far it is. */
import { setTimeout as pause } from 'node:timers/promises';
import { ledgerViews } from '../../projections/index.js';
import { outbox } from '../../projections/outbox.js';
import { openExistingState, describeStore } from '../adapters/open.js';
import type { Config } from '../config.js';
import { instant, systemClock } from '../clock.js';
import type { State } from '../ports/state.js';
import { readRebuild, requestRebuild } from '../projecting/rebuild.js';
import { isLedgerError } from '../errors.js';

const ASK_EVERY_MS = 200;
const NOBODY_MS = 15_000;
const STUCK_MS = 30_000;

/** Of what every process folds, one after the other: each would take half of the machine from the other. */
const projections = [ledgerViews.name, outbox.name];

/** Answers the exit code: 0 when all new builds are live, 1 when nobody took a request up. */
export async function rebuild(config: Config, tell: (line: string) => void): Promise<number> {
  const state = await openExistingState(config);
  if (state === null) {
    tell(`there is no ledger in ${describeStore(config.views)}; set DATA_DIR`);
    return 1;
  }
  try {
    for (const projection of projections) {
      const isDone = await rebuildOne(state, projection, (line) => tell(`${projection}: ${line}`));
      if (!isDone) return 1;
    }
    return 0;
  } finally {
    await state.close();
  }
}

async function rebuildOne(state: State, projection: string, tell: (line: string) => void): Promise<boolean> {
  await requestRebuild(state, projection, instant(systemClock));
  const asked = Date.now();
  let told = -1;
  let moved = asked;
  for (;;) {
    const request = await readRebuild(state, projection).catch(unlessAway);
    if (request === 'away') {
      if (Date.now() - moved > STUCK_MS) {
        tell('the state does not answer; the request is kept there');
        return false;
      }
      await pause(ASK_EVERY_MS);
      continue;
    }
    if (request?.status === 'done') {
      tell(`done: ${request.events} events folded; build ${request.build} is live`);
      return true;
    }
    if (request?.status === 'failed') {
      tell(`failed: ${request.error}; the live build goes on`);
      return false;
    }
    if (request?.status === 'running' && Date.now() - moved > STUCK_MS) {
      tell('no progress; has the server stopped? The rebuild goes on when it starts again');
      return false;
    }
    if (request?.status === 'requested' && Date.now() - asked > NOBODY_MS) {
      tell('no server has taken the request up; it will when one starts on these stores');
      return false;
    }
    if (request?.status === 'running' && request.events !== told) {
      told = request.events;
      moved = Date.now();
      tell(`${told} events folded`);
    }
    await pause(ASK_EVERY_MS);
  }
}

/** The request stands meanwhile, and how it goes is asked again: a server that restarts is no reason to leave. */
function unlessAway(error: unknown): 'away' {
  if (!isLedgerError(error, 'state_unavailable')) throw error;
  return 'away';
}

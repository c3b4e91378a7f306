/** Asks a running server to rebuild its read models, and prints the progress. */
import { setTimeout as pause } from 'node:timers/promises';
import { ledgerViews } from '../../projections/index.js';
import { outbox } from '../../projections/outbox.js';
import { openExistingState, describeStore } from '../adapters/open.js';
import type { Config } from '../config.js';
import { instant, systemClock } from '../clock.js';
import type { ProjectionSpec } from '../domain/projection.js';
import type { State } from '../ports/state.js';
import { readRebuild, requestRebuild } from '../projecting/rebuild.js';
import { isLedgerError } from '../errors.js';

const LOOK_EVERY_MS = 200;
/** No server has begun within this time. */
const NO_SERVER_MS = 15_000;
/** No progress within this time. */
const STUCK_MS = 30_000;

/** One after the other: at the same time, each would take half of the machine from the other. */
const projections = [ledgerViews, outbox];

/** Returns the exit code: 0 when all new builds are live, 1 when a rebuild failed or no server began it. */
export async function rebuild(config: Config, print: (line: string) => void): Promise<number> {
  const state = await openExistingState(config);
  if (state === null) {
    print(`there is no ledger in ${describeStore(config.views)}; set DATA_DIR`);
    return 1;
  }
  try {
    for (const projection of projections) {
      const isDone = await rebuildOne(state, projection, (line) => print(`${projection.name}: ${line}`));
      if (!isDone) return 1;
    }
    return 0;
  } finally {
    await state.close();
  }
}

async function rebuildOne(
  state: State,
  projection: ProjectionSpec,
  print: (line: string) => void,
): Promise<boolean> {
  await requestRebuild(state, projection, instant(systemClock));
  const requestedAt = Date.now();
  let printed = -1;
  let movedAt = requestedAt;
  for (;;) {
    const request = await readRebuild(state, projection.name).catch(unlessAway);
    if (request === 'away') {
      if (Date.now() - movedAt > STUCK_MS) {
        print('the state does not answer; it keeps the request');
        return false;
      }
      await pause(LOOK_EVERY_MS);
      continue;
    }
    if (request?.status === 'done') {
      print(`done: ${request.events} events folded; build ${request.build} is live`);
      return true;
    }
    if (request?.status === 'failed') {
      print(`failed: ${request.error}; the live build stays in use`);
      return false;
    }
    if (request?.status === 'running' && Date.now() - movedAt > STUCK_MS) {
      print('no progress; has the server stopped? The rebuild continues when it starts again');
      return false;
    }
    if (request?.status === 'requested' && Date.now() - requestedAt > NO_SERVER_MS) {
      print('no server has begun; the next server that starts on these stores will');
      return false;
    }
    if (request?.status === 'running' && request.events !== printed) {
      printed = request.events;
      movedAt = Date.now();
      print(`${printed} events folded`);
    }
    await pause(LOOK_EVERY_MS);
  }
}

/** The request stays in State, so the command looks again: a server that restarts is no reason to give up. */
function unlessAway(error: unknown): 'away' {
  if (!isLedgerError(error, 'state_unavailable')) throw error;
  return 'away';
}
